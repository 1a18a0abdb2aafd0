// SPDX-License-Identifier: Apache-2.0
// row_topk against what reading its keys costs.
//
//   row_topk_bench [--repetitions N] [--case NAME] [--once]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// keys read once, and the ratio to the best read-only kernel of the same size in the same run. Some
// rows of each answer are judged by the reference before it is timed. --once runs each way once and
// times nothing (for profilers).
#include <string>
#include <vector>

#include "kernels/row_topk/row_topk.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/kernels/row_topk/judge_rows.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  KeyType type;
  std::int64_t rows, columns, count;
};

constexpr Case kCases[] = {
    {"bf16 1024x49152, k 32", KeyType::bfloat16, 1024, 49152, 32},
    {"bf16 1024x49152, k 200", KeyType::bfloat16, 1024, 49152, 200},
    {"bf16 1024x49152, k 512", KeyType::bfloat16, 1024, 49152, 512},
    {"fp16 1024x49152, k 200", KeyType::float16, 1024, 49152, 200},
    {"fp32 1024x49152, k 200", KeyType::float32, 1024, 49152, 200},
    {"fp32 1024x49152, k 512", KeyType::float32, 1024, 49152, 512},
    {"bf16 4096x16384, k 64", KeyType::bfloat16, 4096, 16384, 64},
    {"bf16 1024x131072, k 64", KeyType::bfloat16, 1024, 131072, 64},
    {"bf16 1024x131072, k 512", KeyType::bfloat16, 1024, 131072, 512},
    {"bf16 1024x49151, k 200", KeyType::bfloat16, 1024, 49151, 200},
};

class CaseRun {
 public:
  CaseRun(const Case& c, const BenchOptions& options, Bench& bench, const DeviceLimits& device)
      : case_(c),
        options_(options),
        bench_(bench),
        device_(device),
        bytes_(static_cast<std::size_t>(c.rows * c.columns) * bytes_of(c.type)),
        keys_(bytes_),
        columns_(static_cast<std::size_t>(c.rows * c.count)),
        values_(columns_.size() * bytes_of(c.type)),
        considered_(every_tenth(c.columns)),
        fired_bits_(considered_.size()),
        fired_counts_(static_cast<std::size_t>(c.columns)) {
    fill_normal(keys_.data(), c.type, c.rows * c.columns, 1, bench.stream());
    arguments_.keys = keys_.data();
    arguments_.key_type = c.type;
    arguments_.rows = c.rows;
    arguments_.columns = c.columns;
    arguments_.count = c.count;
    arguments_.columns_out = columns_.data();
    arguments_.values = values_.data();
  }

  bool run() {
    std::printf("\n%s\n%-44s %9s %9s %9s %8s %8s\n", case_.name, "", "median us", "p99 us",
                "least us", "TB/s", "to read");
    if (!options_.once)
      best_read_us_ = time_reads(bench_, device_, keys_.data(), bytes_ / 16384 * 16384);
    bool sound = time_selection("columns and values", arguments_);
    RowTopkArguments fired = arguments_;
    fired.values_as = RowTopkValues::relu;
    fired.fired.bits = fired_bits_.data();
    fired.fired.counts = fired_counts_.data();
    sound = time_selection("relu, fired bits and counts", fired) && sound;
    RowTopkArguments some = arguments_;
    some.considered = considered_.data();
    return time_selection("one column in ten considered", some) && sound;
  }

 private:
  static std::vector<std::uint32_t> every_tenth(std::int64_t columns) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(mask_words_per_row(columns)));
    for (std::int64_t column = 0; column < columns; column += 10)
      words[static_cast<std::size_t>(column / 32)] |= 1U << (column % 32);
    return words;
  }

  bool time_selection(const std::string& name, const RowTopkArguments& arguments) {
    const auto enqueue = [&](cudaStream_t stream) {
      const Status status = row_topk(arguments, stream);
      if (!status.ok()) throw std::runtime_error(status.message());
    };
    columns_.fill_bytes(0xa5);
    enqueue(bench_.stream());
    cuda_check(cudaStreamSynchronize(bench_.stream()), "row_topk");
    const bool sound = rows_are_right(arguments, 17);  // of all of a block's turns
    std::printf("%s: %s\n", name.c_str(), sound ? "sound" : "WRONG");
    if (options_.once) return sound;
    print_timing(name, bench_.time(enqueue), static_cast<double>(bytes_), best_read_us_);
    print_timing(name + ", graph", bench_.time_graph(enqueue), static_cast<double>(bytes_),
                 best_read_us_);
    return sound;
  }

  const Case case_;
  const BenchOptions options_;
  Bench& bench_;
  const DeviceLimits device_;
  const std::size_t bytes_;
  const DeviceBuffer<std::byte> keys_;
  const DeviceBuffer<std::int32_t> columns_;
  const DeviceBuffer<std::byte> values_;
  const DeviceBuffer<std::uint32_t> considered_, fired_bits_, fired_counts_;
  RowTopkArguments arguments_;
  double best_read_us_ = 0;
};

}  // namespace
}  // namespace stepscope::kernels

int main(int count, char** words) {
  using namespace stepscope::kernels;
  return bench_cases<CaseRun>(count, words, 200, kCases);
}
