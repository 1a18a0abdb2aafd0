// SPDX-License-Identifier: Apache-2.0
// Floating-point work done in a step's wall time, against what the device could do: model FLOP
// utilization (MFU). The FLOPs of a step are the user's; nothing here counts them.
//
// Peaks are those of NVIDIA's data sheets: bf16 on tensor cores, dense (the sheets print twice as
// much, with sparsity), at boost clock. A device that is not in the list has none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

// Returns the peak by the device's name as CUDA gives it; a MIG instance has no known peak.
std::optional<double> known_peak_tflops(std::string_view device_name);

struct FlopOptions {
  double flops_per_step = 0;  // this process's, forward and backward
  std::optional<double> peak_tflops;
};

enum class PeakFrom : std::uint8_t { unknown, given, table };
std::string_view name_of(PeakFrom from);

struct Throughput {
  double flops_per_step = 0;
  std::uint64_t devices = 1;
  double tflops_per_device = 0;  // over the wall time
  PeakFrom peak_from = PeakFrom::unknown;
  std::optional<double> peak_tflops;
  std::optional<double> utilization;  // 0..1; above 1 the given numbers cannot be right
};

Throughput throughput(const FlopOptions& options, double step_ns, std::uint64_t devices,
                      std::string_view device_name);

}  // namespace stepscope
