// SPDX-License-Identifier: Apache-2.0
// row_topk against what reading its keys costs.
//
//   row_topk_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// keys read once, and the ratio to the best read-only kernel of the same size in the same run. Some
// rows of each answer are judged by the reference before it is timed. --help lists the flags.
#include <stdexcept>
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

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : bytes_(static_cast<std::size_t>(c.rows * c.columns) * bytes_of(c.type)),
        keys_(bytes_),
        columns_(static_cast<std::size_t>(c.rows * c.count)),
        values_(columns_.size() * bytes_of(c.type)),
        considered_(every_tenth(c.columns)),
        fired_bits_(considered_.size()),
        fired_counts_(static_cast<std::size_t>(c.columns)) {
    fill_normal(keys_.data(), c.type, c.rows * c.columns, 1, stream);
    arguments_.keys = keys_.data();
    arguments_.key_type = c.type;
    arguments_.rows = c.rows;
    arguments_.columns = c.columns;
    arguments_.count = c.count;
    arguments_.columns_out = columns_.data();
    arguments_.values = values_.data();
  }

  Readable readable() const override { return {keys_.data(), bytes_ / 16384 * 16384}; }

  void plain(Turn& turn) const { select(turn, arguments_); }
  void fired(Turn& turn) const {
    RowTopkArguments arguments = arguments_;
    arguments.values_as = RowTopkValues::relu;
    arguments.fired.bits = fired_bits_.data();
    arguments.fired.counts = fired_counts_.data();
    select(turn, arguments);
  }
  void some_columns(Turn& turn) const {
    RowTopkArguments arguments = arguments_;
    arguments.considered = considered_.data();
    select(turn, arguments);
  }

 private:
  static std::vector<std::uint32_t> every_tenth(std::int64_t columns) {
    std::vector<std::uint32_t> words(static_cast<std::size_t>(mask_words_per_row(columns)));
    for (std::int64_t column = 0; column < columns; column += 10)
      words[static_cast<std::size_t>(column / 32)] |= 1U << (column % 32);
    return words;
  }

  void select(Turn& turn, const RowTopkArguments& arguments) const {
    Work work;
    work.bytes = static_cast<double>(bytes_);
    work.enqueue = [&](cudaStream_t stream) { expect_ok(row_topk(arguments, stream)); };
    work.spoil = [&] { columns_.fill_bytes(0xa5); };
    // Rows of all of a block's turns.
    work.judge = [&]() -> Judgement { return {rows_are_right(arguments, 17)}; };
    turn.take(work);
  }

  const std::size_t bytes_;
  const DeviceBuffer<std::byte> keys_;
  const DeviceBuffer<std::int32_t> columns_;
  const DeviceBuffer<std::byte> values_;
  const DeviceBuffer<std::uint32_t> considered_, fired_bits_, fired_counts_;
  RowTopkArguments arguments_;
};

std::vector<Way> ways(const Case&) {
  return {way<CaseRun>("columns and values", &CaseRun::plain).with_graph(),
          way<CaseRun>("relu, fired bits and counts", &CaseRun::fired).with_graph(),
          way<CaseRun>("one column in ten considered", &CaseRun::some_columns).with_graph()};
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"row_topk against what reading its keys costs.", 200, Yardstick::best_read,
                     bench_cases<CaseRun>(kCases, ways)});
}
