// SPDX-License-Identifier: Apache-2.0
#include "core/summary/throughput.hpp"

#include <array>

namespace stepscope {
namespace {

struct Peak {
  std::string_view name;  // how the device's name begins, behind "NVIDIA "
  double tflops;
};

constexpr std::array<Peak, 14> kPeaks = {{
    {"B200", 2250},
    {"GH200", 989},
    {"H200 NVL", 835},
    {"H200", 989},
    {"H100 80GB HBM3", 989},
    {"H100 PCIe", 756},
    {"H100 NVL", 835},
    {"A100", 312},
    {"A40", 150},
    {"A30", 165},
    {"A10", 125},
    {"L40S", 362},
    {"L40", 181},
    {"L4", 121},
}};

// Whole words: "A10" is neither an A100 nor an A10G.
bool begins_with_words(std::string_view text, std::string_view words) {
  return text.starts_with(words) &&
         (text.size() == words.size() || text[words.size()] == ' ' || text[words.size()] == '-');
}

}  // namespace

std::optional<double> known_peak_tflops(std::string_view device_name) {
  constexpr std::string_view kMaker = "NVIDIA ";
  if (device_name.starts_with(kMaker)) device_name.remove_prefix(kMaker.size());
  if (device_name.find(" MIG ") != std::string_view::npos) return std::nullopt;
  for (const Peak& peak : kPeaks) {
    if (begins_with_words(device_name, peak.name)) return peak.tflops;
  }
  return std::nullopt;
}

std::string_view name_of(PeakFrom from) {
  if (from == PeakFrom::given) return "given";
  return from == PeakFrom::table ? "table" : "unknown";
}

Throughput throughput(const FlopOptions& options, double step_ns, std::uint64_t devices,
                      std::string_view device_name) {
  Throughput out{.flops_per_step = options.flops_per_step, .devices = devices};
  out.tflops_per_device =
      options.flops_per_step / static_cast<double>(devices) / (step_ns / 1e9) / 1e12;
  out.peak_tflops = options.peak_tflops ? options.peak_tflops : known_peak_tflops(device_name);
  if (!out.peak_tflops) return out;
  out.peak_from = options.peak_tflops ? PeakFrom::given : PeakFrom::table;
  out.utilization = out.tflops_per_device / *out.peak_tflops;
  return out;
}

}  // namespace stepscope
