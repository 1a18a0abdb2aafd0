// SPDX-License-Identifier: Apache-2.0
// What is made of a bitmask, against what moving its bytes costs.
//
//   bitmask_bench [--repetitions N] [--case NAME] [--once]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// bytes that must be moved (the mask once, each output once, selected keys alone), and the ratio to
// the best read-only kernel over the mask itself in the same run. Every answer is held against the
// reference before it is timed. --once runs each way once and times nothing (for profilers).
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "kernels/bitmask/bitmask_reference.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  std::int64_t rows, columns;
  std::int64_t selected;  // at random places, all over
};

constexpr Case kCases[] = {
    {"1024x49152, 204800 selected", 1024, 49152, 204800},
    {"1024x49152, half selected", 1024, 49152, 1024L * 49152 / 2},
    {"1024x589824, 204800 selected", 1024, 589824, 204800},
};

std::vector<std::uint32_t> made_words(const Case& c) {
  std::mt19937_64 random(3);
  const std::int64_t per_row = mask_words_per_row(c.columns);
  std::vector<std::uint32_t> words(static_cast<std::size_t>(c.rows * per_row));
  for (std::int64_t set = 0; set < c.selected;) {
    const auto entry =
        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(c.rows * c.columns));
    std::uint32_t& word =
        words[static_cast<std::size_t>(entry / c.columns * per_row + entry % c.columns / 32)];
    const std::uint32_t bit = 1U << (entry % c.columns % 32);
    set += (word & bit) == 0 ? 1 : 0;
    word |= bit;
  }
  return words;
}

class CaseRun {
 public:
  CaseRun(const Case& c, const BenchOptions& options, Bench& bench, const DeviceLimits& device)
      : case_(c),
        options_(options),
        bench_(bench),
        device_(device),
        host_words_(made_words(c)),
        host_{host_words_.data(), c.rows, c.columns},
        words_(host_words_),
        mask_{words_.data(), c.rows, c.columns},
        keys_(static_cast<std::size_t>(c.rows * c.columns) * bytes_of(KeyType::bfloat16)),
        dense_(keys_.size()) {
    fill_normal(keys_.data(), KeyType::bfloat16, c.rows * c.columns, 1, bench.stream());
  }

  bool run() {
    std::printf("\n%s\n%-44s %9s %9s %9s %8s %8s\n", case_.name, "", "median us", "p99 us",
                "least us", "TB/s", "to read");
    if (!options_.once)
      best_read_us_ = time_reads(bench_, device_, words_.data(), mask_bytes() / 16384 * 16384);
    bool sound = bytes();
    sound = kept() && sound;
    sound = counts("row counts", case_.rows, bitmask_row_counts) && sound;
    sound = counts("column counts", case_.columns, bitmask_column_counts) && sound;
    sound = list("list by rows", BitmaskLines::rows) && sound;
    return list("list by columns", BitmaskLines::columns) && sound;
  }

 private:
  std::size_t mask_bytes() const { return host_words_.size() * sizeof(std::uint32_t); }
  std::size_t entries() const { return static_cast<std::size_t>(case_.rows * case_.columns); }

  static void check(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }

  template <class Enqueue, class Judge>
  bool time(const std::string& name, std::size_t bytes_out, Enqueue enqueue, Judge judge) {
    enqueue(bench_.stream());
    cuda_check(cudaStreamSynchronize(bench_.stream()), name.c_str());
    const bool sound = judge();
    std::printf("%s: %s\n", name.c_str(), sound ? "sound" : "WRONG");
    if (!options_.once)
      print_timing(name, bench_.time(enqueue), static_cast<double>(mask_bytes() + bytes_out),
                   best_read_us_);
    return sound;
  }

  bool bytes() {
    dense_.fill_bytes(0xa5);
    auto* out = reinterpret_cast<std::uint8_t*>(dense_.data());
    return time(
        "bytes", entries(),
        [&](cudaStream_t stream) { check(bitmask_to_bytes(mask_, out, stream)); },
        [&] {
          const std::vector<std::byte> found = dense_.to_host();
          const std::vector<std::uint8_t> expected = bitmask_bytes_reference(host_);
          return std::equal(expected.begin(), expected.end(), found.begin(),
                            [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
        });
  }

  // The selected keys are read alone, the rest is written as zeros.
  bool kept() {
    dense_.fill_bytes(0xa5);
    return time(
        "kept keys, bf16", entries() * 2 + static_cast<std::size_t>(case_.selected) * 2,
        [&](cudaStream_t stream) {
          check(bitmask_keep(mask_, KeyType::bfloat16, keys_.data(), dense_.data(), stream));
        },
        [&] {
          const std::vector<std::byte> found = dense_.to_host(), keys = keys_.to_host();
          const std::vector<std::uint8_t> expected = bitmask_bytes_reference(host_);
          for (std::size_t i = 0; i < found.size(); ++i)
            if (found[i] != (expected[i / 2] != 0 ? keys[i] : std::byte{0})) return false;
          return true;
        });
  }

  bool counts(const std::string& name, std::int64_t lines,
              Status (*count)(const Bitmask&, std::uint32_t*, CUstream_st*)) {
    const DeviceBuffer<std::uint32_t> out(static_cast<std::size_t>(lines));
    out.fill_bytes(0xa5);
    return time(
        name, out.size() * sizeof(std::uint32_t),
        [&](cudaStream_t stream) { check(count(mask_, out.data(), stream)); },
        [&] {
          const BitmaskLines by = lines == case_.rows ? BitmaskLines::rows : BitmaskLines::columns;
          const std::vector<std::int64_t> offsets = bitmask_list_reference(host_, by).offsets;
          const std::vector<std::uint32_t> found = out.to_host();
          for (std::size_t i = 0; i < found.size(); ++i)
            if (found[i] != offsets[i + 1] - offsets[i]) return false;
          return true;
        });
  }

  bool list(const std::string& name, BitmaskLines lines) {
    const auto count =
        static_cast<std::size_t>(lines == BitmaskLines::rows ? case_.rows : case_.columns);
    const auto selected = static_cast<std::size_t>(case_.selected);
    const DeviceBuffer<std::int64_t> offsets(count + 1);
    const DeviceBuffer<std::int32_t> indices(selected);
    const DeviceBuffer<std::uint16_t> values(selected);
    const DeviceBuffer<std::byte> workspace(bitmask_list_workspace_bytes(mask_, lines));
    BitmaskList out;
    out.lines = lines, out.offsets = offsets.data(), out.indices = indices.data();
    out.capacity = case_.selected, out.keys = keys_.data(), out.values = values.data();
    out.workspace = workspace.data(), out.workspace_bytes = workspace.size();
    return time(
        name, offsets.size() * 8 + selected * (4 + 2 + 2),
        [&](cudaStream_t stream) { check(bitmask_list(mask_, out, stream)); },
        [&] {
          const ExpectedList expected = bitmask_list_reference(host_, lines);
          return offsets.to_host() == expected.offsets && indices.to_host() == expected.indices &&
                 values_are(values.to_host(), expected);
        });
  }

  bool values_are(const std::vector<std::uint16_t>& found, const ExpectedList& expected) const {
    const std::vector<std::byte> keys = keys_.to_host();
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::uint16_t key = 0;
      std::memcpy(&key, &keys[static_cast<std::size_t>(expected.entries[i]) * 2], 2);
      if (found[i] != key) return false;
    }
    return true;
  }

  const Case case_;
  const BenchOptions options_;
  Bench& bench_;
  const DeviceLimits device_;
  const std::vector<std::uint32_t> host_words_;
  const Bitmask host_;
  const DeviceBuffer<std::uint32_t> words_;
  const Bitmask mask_;
  const DeviceBuffer<std::byte> keys_, dense_;
  double best_read_us_ = 0;
};

}  // namespace
}  // namespace stepscope::kernels

int main(int count, char** words) {
  using namespace stepscope::kernels;
  return bench_cases<CaseRun>(count, words, 200, kCases);
}
