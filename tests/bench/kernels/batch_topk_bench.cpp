// SPDX-License-Identifier: Apache-2.0
// batch_topk against what reading its keys costs, and against cub::DeviceTopK with a scatter.
//
//   batch_topk_bench [--repetitions N] [--case NAME] [--once]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// keys read once, and the ratio to the best read-only kernel of the same size in the same run. Each
// answer is judged before it is timed. --once runs each way once and times nothing (for profilers).
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/device_buffer.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/kernels/support/device_data.hpp"
#ifdef STEPSCOPE_WITH_CUB_TOPK
#include "tests/bench/kernels/cub_topk.hpp"
#endif

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  KeyType type;
  std::int64_t rows, columns, count;
};

constexpr Case kCases[] = {
    {"bf16 1024x49152", KeyType::bfloat16, 1024, 49152, 204800},
    {"fp16 1024x49152", KeyType::float16, 1024, 49152, 204800},
    {"fp32 1024x49152", KeyType::float32, 1024, 49152, 204800},
    {"bf16 1024x589824", KeyType::bfloat16, 1024, 589824, 204800},
    {"fp32 1024x589824", KeyType::float32, 1024, 589824, 204800},
};

constexpr std::uint32_t kOtherBatches = 3;

class CaseRun {
 public:
  CaseRun(const Case& c, const BenchOptions& options, Bench& bench, const DeviceLimits& device)
      : case_(c),
        options_(options),
        bench_(bench),
        device_(device),
        entries_(c.rows * c.columns),
        bytes_(static_cast<std::size_t>(entries_) * bytes_of(c.type)),
        keys_(bytes_),
        mask_(static_cast<std::size_t>(c.rows * mask_words_per_row(c.columns))),
        result_(1),
        warm_(1),
        mean_(std::vector<float>(static_cast<std::size_t>(c.columns), 0.01F)),
        scale_(std::vector<float>(static_cast<std::size_t>(c.columns), 1.01F)) {
    fill_normal(keys_.data(), c.type, entries_, 1, bench.stream());
    for (std::uint32_t i = 0; i < kOtherBatches; ++i) {
      others_.emplace_back(bytes_);
      fill_normal(others_.back().data(), c.type, entries_, 2 + i, bench.stream());
    }
    arguments_.keys = keys_.data();
    arguments_.key_type = c.type;
    arguments_.rows = c.rows;
    arguments_.columns = c.columns;
    arguments_.count = c.count;
    arguments_.column_keys.mean = mean_.data();
    arguments_.column_keys.scale = scale_.data();
    arguments_.mask = mask_.data();
    arguments_.result = result_.data();
    BatchTopkArguments largest = arguments_;
    largest.column_keys.source = KeySource::z_score;
    workspace_ = DeviceBuffer<std::byte>(batch_topk_workspace_bytes(largest));
    arguments_.workspace = workspace_.data();
    arguments_.workspace_bytes = workspace_.size();
    warm_.fill_bytes(0);
  }

  bool run() {
    std::printf("\n%s, K = %lld\n%-44s %9s %9s %9s %8s %8s\n", case_.name,
                static_cast<long long>(case_.count), "", "median us", "p99 us", "least us", "TB/s",
                "to read");
    if (!options_.once) best_read_us_ = time_reads(bench_, device_, keys_.data(), bytes_);
    bool sound = time_selection("sampled", arguments_);
    sound = time_warm("warm", arguments_) && sound;
    const std::uint32_t all = case_.type == KeyType::float32 ? 0xffffffffU : 0xffffU;
    sound = time_misled("misled above", {all - 1, all}) && sound;
    sound = time_misled("misled below", {1, 2}) && sound;
    sound = time_misled("misled, all within", {0, all}) && sound;
    BatchTopkArguments exact = arguments_;
    exact.start = BatchTopkStart::none;
    sound = time_selection("from scratch", exact) && sound;
    BatchTopkArguments affine = arguments_;
    affine.column_keys.source = KeySource::affine;
    sound = time_selection("affine, sampled", affine) && sound;
    BatchTopkArguments z_score = arguments_;
    z_score.column_keys.source = KeySource::z_score;
    sound = time_selection("z-score, sampled", z_score) && sound;
    sound = time_warm("z-score, warm", z_score) && sound;
    time_cub();
    return sound;
  }

 private:
  bool time_selection(const std::string& name, const BatchTopkArguments& arguments) {
    const auto enqueue = [&](cudaStream_t stream) { must(batch_topk(arguments, stream)); };
    mask_.fill_bytes(0xa5);
    enqueue(bench_.stream());
    const bool sound = judge(name, arguments);
    if (options_.once) return sound;
    print(name, bench_.time(enqueue));
    print(name + ", graph", bench_.time_graph(enqueue));
    return sound;
  }

  static void must(const Status& status) {
    if (!status.ok()) throw std::runtime_error(status.message());
  }

  // The last call's answer.
  bool judge(const std::string& name, const BatchTopkArguments& arguments) {
    const MaskJudgement judgement = judge_mask(arguments, bench_.stream());
    const BatchTopkResult result = result_.to_host().front();
    const bool sound = judgement.unexpected == 0 && judgement.padding == 0 &&
                       judgement.selected == static_cast<unsigned long long>(case_.count) &&
                       result.selected == case_.count;
    std::printf("%s: %s, path %u, reads %u, threshold %g, cut (%lld, %lld)\n", name.c_str(),
                sound ? "sound" : "WRONG", static_cast<unsigned>(result.path), result.reads,
                static_cast<double>(result.threshold), static_cast<long long>(result.last_column),
                static_cast<long long>(result.last_row));
    if (!sound)
      std::printf("  selected %llu unexpected %llu padding %llu\n", judgement.selected,
                  judgement.unexpected, judgement.padding);
    return sound;
  }

  // A batch like the last one, and another: the same keys again would need no bracket at all.
  bool time_warm(const std::string& name, BatchTopkArguments arguments) {
    warm_.fill_bytes(0);
    arguments.warm_start = warm_.data();
    std::size_t calls = 0;
    const auto enqueue = [&](cudaStream_t stream) {
      const std::size_t batch = calls++ % (1 + others_.size());
      arguments.keys = batch == 0 ? keys_.data() : others_[batch - 1].data();
      must(batch_topk(arguments, stream));
    };
    for (int i = 0; i < 40; ++i) enqueue(bench_.stream());  // the bracket settles
    const bool sound = judge(name, arguments);
    if (!options_.once) print(name, bench_.time(enqueue));
    return sound;
  }

  // A warm start before each call whose bracket does not hold the cut, or far too much.
  bool time_misled(const std::string& name, const BatchTopkWarmStart& start) {
    BatchTopkArguments arguments = arguments_;
    arguments.warm_start = warm_.data();
    const DeviceBuffer<BatchTopkWarmStart> misleading(std::vector<BatchTopkWarmStart>{start});
    const auto mislead = [&](cudaStream_t stream) {
      cuda_check(cudaMemcpyAsync(warm_.data(), misleading.data(), sizeof start,
                                 cudaMemcpyDeviceToDevice, stream),
                 "cudaMemcpyAsync");
    };
    const auto enqueue = [&](cudaStream_t stream) { must(batch_topk(arguments, stream)); };
    mislead(bench_.stream());
    enqueue(bench_.stream());
    const bool sound = judge(name, arguments);
    if (!options_.once) print(name, bench_.time(enqueue, mislead));
    return sound;
  }

  void time_cub() {
#ifdef STEPSCOPE_WITH_CUB_TOPK
    if (options_.once) return;
    const DeviceBuffer<std::byte> keys_out(static_cast<std::size_t>(case_.count) *
                                           bytes_of(case_.type));
    const DeviceBuffer<std::uint32_t> indices(static_cast<std::size_t>(case_.count));
    CubTopkArguments arguments{keys_.data(),    case_.type,     entries_,    case_.count,
                               keys_out.data(), indices.data(), mask_.data()};
    const DeviceBuffer<std::byte> workspace(cub_topk_workspace_bytes(arguments));
    arguments.workspace = workspace.data();
    arguments.workspace_bytes = workspace.size();
    print("cub::DeviceTopK pairs, scatter",
          bench_.time([&](cudaStream_t stream) { cub_topk(arguments, stream); }));
#endif
  }

  void print(const std::string& what, const Timing& timing) const {
    print_timing(what, timing, static_cast<double>(bytes_), best_read_us_);
  }

  const Case case_;
  const BenchOptions options_;
  Bench& bench_;
  const DeviceLimits device_;
  const std::int64_t entries_;
  const std::size_t bytes_;
  const DeviceBuffer<std::byte> keys_;
  std::vector<DeviceBuffer<std::byte>> others_;
  const DeviceBuffer<std::uint32_t> mask_;
  const DeviceBuffer<BatchTopkResult> result_;
  const DeviceBuffer<BatchTopkWarmStart> warm_;
  const DeviceBuffer<float> mean_, scale_;
  DeviceBuffer<std::byte> workspace_;
  BatchTopkArguments arguments_;
  double best_read_us_ = 0;
};

}  // namespace
}  // namespace stepscope::kernels

int main(int count, char** words) {
  using namespace stepscope::kernels;
  return bench_cases<CaseRun>(count, words, 200, kCases);
}
