// SPDX-License-Identifier: Apache-2.0
// batch_topk against what reading its keys costs, and against cub::DeviceTopK with a scatter.
//
//   batch_topk_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2, TB/s of the
// keys read once, and the ratio to the best read-only kernel of the same size in the same run. Each
// answer but the peer's is judged before it is timed. "Written": the L2 is not cold, but as a copy
// left it that wrote the keys just before, much as a training step's product does; such rows have
// no ratio, but read-only kernels among them. --help lists the flags.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/device_buffer.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/bench/kernels/read_only.hpp"
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

using Change = void (*)(BatchTopkArguments&);
void as_is(BatchTopkArguments& /*arguments*/) {}
void from_scratch(BatchTopkArguments& arguments) {
  arguments.start = BatchTopkStart::none;
}
void affine(BatchTopkArguments& arguments) {
  arguments.column_keys.source = KeySource::affine;
}
void z_score(BatchTopkArguments& arguments) {
  arguments.column_keys.source = KeySource::z_score;
}

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : case_(c),
        stream_(stream),
        entries_(c.rows * c.columns),
        bytes_(static_cast<std::size_t>(entries_) * bytes_of(c.type)),
        keys_(bytes_),
        mask_(static_cast<std::size_t>(c.rows * mask_words_per_row(c.columns))),
        result_(1),
        warm_(1),
        mean_(std::vector<float>(static_cast<std::size_t>(c.columns), 0.01F)),
        scale_(std::vector<float>(static_cast<std::size_t>(c.columns), 1.01F)) {
    fill();
    for (std::uint32_t i = 0; i < kOtherBatches; ++i) {
      others_.emplace_back(bytes_);
      fill_normal(others_.back().data(), c.type, entries_, 2 + i, stream);
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

  std::string note() const override { return "K = " + std::to_string(case_.count); }
  Readable readable() const override { return {keys_.data(), bytes_}; }

  void select(Turn& turn, Change change) const {
    const BatchTopkArguments arguments = changed(change);
    turn.take(work(arguments));
  }

  // A batch like the last one, and another: the same keys again would need no bracket at all.
  void select_warm(Turn& turn, Change change) const {
    BatchTopkArguments arguments = changed(change);
    warm_.fill_bytes(0);
    arguments.warm_start = warm_.data();
    std::size_t calls = 0;
    Work work = this->work(arguments);
    work.enqueue = [&](cudaStream_t stream) {
      arguments.keys = batch(calls++);
      expect_ok(batch_topk(arguments, stream));
    };
    work.calls = kSettled;
    turn.take(work);
  }

  void read_written(Turn& turn, const ReadOnlyKernel& kernel) const {
    const DeviceBuffer<std::byte> written(bytes_);
    const DeviceBuffer<unsigned> sink(1);
    DeviceLimits device;
    cuda_check(DeviceLimits::of_current(&device), "cudaDeviceGetAttribute");
    Work work;
    work.bytes = static_cast<double>(bytes_);
    work.enqueue = [&](cudaStream_t stream) {
      kernel.enqueue(written.data(), bytes_, sink.data(), device, stream);
    };
    std::size_t calls = 0;
    write_before(work, written, calls);
    turn.take(work);
  }

  void select_written(Turn& turn, bool warm) const {
    const DeviceBuffer<std::byte> written(bytes_);
    BatchTopkArguments arguments = arguments_;
    arguments.keys = written.data();
    warm_.fill_bytes(0);
    if (warm) arguments.warm_start = warm_.data();
    Work work = this->work(arguments);
    work.calls = kSettled;
    std::size_t calls = 0;
    write_before(work, written, calls);
    turn.take(work);
  }

  // A warm start before each call whose bracket does not hold the cut, or far too much.
  void select_misled(Turn& turn, const BatchTopkWarmStart& start) const {
    BatchTopkArguments arguments = arguments_;
    arguments.warm_start = warm_.data();
    const DeviceBuffer<BatchTopkWarmStart> misleading(std::vector<BatchTopkWarmStart>{start});
    Work work = this->work(arguments);
    work.before = [&](cudaStream_t stream) {
      cuda_check(cudaMemcpyAsync(warm_.data(), misleading.data(), sizeof start,
                                 cudaMemcpyDeviceToDevice, stream),
                 "cudaMemcpyAsync");
    };
    turn.take(work);
  }

  // Keys of which a sample shows too few of the greatest, or none: so many of four sectors.
  void select_hidden(Turn& turn, int of_four) const {
    const Hidden hidden(*this, of_four);
    select(turn, as_is);
  }

#ifdef STEPSCOPE_WITH_CUB_TOPK
  void peer_hidden(Turn& turn, int of_four) const {
    const Hidden hidden(*this, of_four);
    peer(turn);
  }

  void peer(Turn& turn) const {
    const DeviceBuffer<std::byte> keys_out(static_cast<std::size_t>(case_.count) *
                                           bytes_of(case_.type));
    const DeviceBuffer<std::uint32_t> indices(static_cast<std::size_t>(case_.count));
    CubTopkArguments arguments{keys_.data(),    case_.type,     entries_,    case_.count,
                               keys_out.data(), indices.data(), mask_.data()};
    const DeviceBuffer<std::byte> workspace(cub_topk_workspace_bytes(arguments));
    arguments.workspace = workspace.data();
    arguments.workspace_bytes = workspace.size();
    turn.take({.bytes = static_cast<double>(bytes_),
               .enqueue = [&](cudaStream_t stream) { cub_topk(arguments, stream); }});
  }
#endif

 private:
  static constexpr int kSettled = 40;  // calls behind which a warm bracket is as it stays

  const std::byte* batch(std::size_t call) const {
    const std::size_t i = call % (1 + others_.size());
    return i == 0 ? keys_.data() : others_[i - 1].data();
  }
  void write_before(Work& work, const DeviceBuffer<std::byte>& written, std::size_t& calls) const {
    work.cold = false;
    work.before = [&, this](cudaStream_t stream) {
      cuda_check(
          cudaMemcpyAsync(written.data(), batch(calls++), bytes_, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
    };
  }

  class Hidden {
   public:
    Hidden(const CaseRun& run, int of_four) : run_(run) {
      hide_from_sample(run.keys_.data(), run.case_.type, run.entries_, of_four, run.stream_);
    }
    ~Hidden() { run_.fill(); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;

   private:
    const CaseRun& run_;
  };

  void fill() const {
    fill_normal(keys_.data(), case_.type, entries_, 1, stream_);
  }

  BatchTopkArguments changed(Change change) const {
    BatchTopkArguments arguments = arguments_;
    change(arguments);
    return arguments;
  }

  Work work(const BatchTopkArguments& arguments) const {
    Work work;
    work.bytes = static_cast<double>(bytes_);
    work.enqueue = [&](cudaStream_t stream) { expect_ok(batch_topk(arguments, stream)); };
    work.spoil = [this] { mask_.fill_bytes(0xa5); };
    work.judge = [&] { return judge(arguments); };
    return work;
  }

  // The last call's answer.
  Judgement judge(const BatchTopkArguments& arguments) const {
    const MaskJudgement judgement = judge_mask(arguments, stream_);
    const BatchTopkResult result = result_.to_host().front();
    const bool sound = judgement.unexpected == 0 && judgement.padding == 0 &&
                       judgement.selected == static_cast<unsigned long long>(case_.count) &&
                       result.selected == case_.count;
    char note[200];
    const int end = std::snprintf(
        note, sizeof note, ", path %u, reads %u, threshold %g, cut (%lld, %lld)",
        static_cast<unsigned>(result.path), result.reads, static_cast<double>(result.threshold),
        static_cast<long long>(result.last_column), static_cast<long long>(result.last_row));
    if (!sound)
      std::snprintf(note + end, sizeof note - static_cast<std::size_t>(end),
                    ", selected %llu unexpected %llu padding %llu", judgement.selected,
                    judgement.unexpected, judgement.padding);
    return {sound, note};
  }

  const Case case_;
  const cudaStream_t stream_;
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
};

Way select(const char* name, Change change) {
  return way<CaseRun>(name, [=](const CaseRun& memory, Turn& turn) { memory.select(turn, change); })
      .with_graph();
}
Way select_warm(const char* name, Change change) {
  return way<CaseRun>(name,
                      [=](const CaseRun& memory, Turn& turn) { memory.select_warm(turn, change); });
}
Way select_written(const char* name, bool warm) {
  return way<CaseRun>(
      name, [=](const CaseRun& memory, Turn& turn) { memory.select_written(turn, warm); });
}
Way read_written(const ReadOnlyKernel& kernel) {
  return way<CaseRun>("written: read, " + kernel.name, [kernel](const CaseRun& memory, Turn& turn) {
    memory.read_written(turn, kernel);
  });
}
Way select_misled(const char* name, const BatchTopkWarmStart& start) {
  return way<CaseRun>(
      name, [=](const CaseRun& memory, Turn& turn) { memory.select_misled(turn, start); });
}

Way select_hidden(const char* name, int of_four) {
  return way<CaseRun>(
      name, [=](const CaseRun& memory, Turn& turn) { memory.select_hidden(turn, of_four); });
}
#ifdef STEPSCOPE_WITH_CUB_TOPK
Way peer(const char* name, int of_four) {
  Way peer = way<CaseRun>(
      name, [=](const CaseRun& memory, Turn& turn) { memory.peer_hidden(turn, of_four); });
  peer.peer = true;
  return peer;
}
#endif

std::vector<Way> ways(const Case& c) {
  const std::uint32_t all = c.type == KeyType::float32 ? 0xffffffffU : 0xffffU;
  std::vector<Way> ways{select("sampled", as_is),
                        select_warm("warm", as_is),
                        select_written("written, sampled", false),
                        select_written("written, warm", true),
                        select_misled("misled above", {all - 1, all}),
                        select_misled("misled below", {1, 2}),
                        select_misled("misled, all within", {0, all}),
                        select("from scratch", from_scratch),
                        select("affine, sampled", affine),
                        select("z-score, sampled", z_score),
                        select_warm("z-score, warm", z_score),
                        select_hidden("half hidden from the sample", 2),
                        select_hidden("all hidden from the sample", 4)};
  for (const ReadOnlyKernel& kernel : strips_read_kernels()) ways.push_back(read_written(kernel));
#ifdef STEPSCOPE_WITH_CUB_TOPK
  ways.push_back(peer("cub::DeviceTopK pairs, scatter", 0));
  ways.push_back(peer("cub, half hidden", 2));
  ways.push_back(peer("cub, all hidden", 4));
#endif
  return ways;
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"batch_topk against what reading its keys costs, and cub::DeviceTopK.", 200,
                     Yardstick::best_read, bench_cases<CaseRun>(kCases, ways)});
}
