// SPDX-License-Identifier: Apache-2.0
// fused_adam against the rate of a copy in the same run.
//
//   fused_adam_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2; bytes read
// and written, TB/s, and of the copy's rate. Before it is timed, the fused decoder's update must
// give the bits of the gradient and the dense update apart, compared on samples once a case. --help
// lists the flags.
#include <cstdio>
#include <string>

#include "kernels/fused_adam/fused_adam.hpp"
#include "tests/bench/kernels/bench_main.hpp"
#include "tests/bench/kernels/made_lists.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  std::int64_t features;
  Activity activity;
};

// 12 layers, vectors of 768, 1024 tokens with 200 active features each.
constexpr Case kCases[] = {{"F4096", 4096, Activity::uniform},
                           {"F16384", 16384, Activity::uniform},
                           {"F16384 skewed", 16384, Activity::skewed}};
constexpr std::int64_t kActive = 200;

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : stream_(stream),
        shape_{12, c.features, 768, 1024},
        lists_(shape_, kActive, c.activity),
        count_(static_cast<std::size_t>(shape_.weights())),
        parameters_(count_),
        first_(count_),
        second_(count_),
        gradients_(count_),
        copy_(count_),
        rows_(static_cast<std::size_t>(shape_.tokens * shape_.layers * shape_.model)),
        narrow_rows_(rows_.size()),
        step_(std::vector<std::int64_t>{1}) {
    fill_normal(narrow_rows_.data(), KeyType::bfloat16, static_cast<std::int64_t>(rows_.size()), 2,
                stream);
    fill_normal(rows_.data(), KeyType::float32, static_cast<std::int64_t>(rows_.size()), 2, stream);
    reset();
    sound_ = judge();
  }

  std::string note() const override {
    char line[96];
    std::snprintf(line, sizeof line,
                  "%.1f M parameters, %.1f %% of vectors touched, fused decoder: %s",
                  static_cast<double>(count_) * 1e-6, 100 * touched(), sound_ ? "sound" : "WRONG");
    return line;
  }
  // Returns the share of all parameters that the update touches.
  double touched() const {
    return static_cast<double>(lists_.touched_vectors() * shape_.model) /
           static_cast<double>(count_);
  }

  FusedAdam dense(KeyType type = KeyType::float32) const {
    return {state(), shape_.weights(), gradients_.data(), type};
  }
  FusedAdamDecoder decoder() const { return {state(), shape_, lists_.by_feature(), row_view()}; }
  ConstLayerRows narrow_row_view() const {
    return {narrow_rows_.data(), KeyType::bfloat16, shape_.layers * shape_.model, shape_.model};
  }
  const std::int64_t* device_step() const { return step_.data(); }
  void enqueue_gradient(cudaStream_t stream) const {
    expect_ok(sparse_decoder_weight_gradient(
        {shape_, lists_.by_feature(), row_view(), gradients_.data()}, stream));
  }

  void take(Turn& turn, double bytes_a_parameter, const Enqueue& enqueue) const {
    Work work;
    work.bytes = bytes_a_parameter * static_cast<double>(count_);
    work.enqueue = enqueue;
    if (!sound_)
      work.judge = []() -> Judgement { return {false, ", fused and apart give other bits"}; };
    turn.take(work);
  }

 private:
  void reset() const {
    fill_normal(parameters_.data(), KeyType::float32, shape_.weights(), 1, stream_);
    first_.fill_bytes(0);
    second_.fill_bytes(0);
    copy_.fill_bytes(0xff);
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

  // Bits of samples after one step both ways.
  bool judge() const {
    enqueue_gradient(stream_);
    expect_ok(fused_adam(dense(), stream_));
    const std::vector<std::uint32_t> apart = samples();
    reset();
    expect_ok(fused_adam_decoder(decoder(), stream_));
    return samples() == apart;
  }
  std::vector<std::uint32_t> samples() const {
    cuda_check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
    constexpr std::size_t kRun = 4096;
    std::vector<std::uint32_t> bits;
    for (const DeviceBuffer<float>* numbers : {&parameters_, &first_, &second_})
      for (std::size_t i = 0; i < 64; ++i) {
        bits.resize(bits.size() + kRun);
        cuda_check(
            cudaMemcpy(bits.data() + bits.size() - kRun, numbers->data() + i * (count_ - kRun) / 63,
                       kRun * sizeof(float), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
      }
    return bits;
  }

  AdamState state() const {
    return {parameters_.data(), first_.data(), second_.data(), copy_.data()};
  }
  ConstLayerRows row_view() const {
    return {rows_.data(), KeyType::float32, shape_.layers * shape_.model, shape_.model};
  }

  const cudaStream_t stream_;
  const SparseDecoderShape shape_;
  const MadeLists lists_;
  const std::size_t count_;
  const DeviceBuffer<float> parameters_, first_, second_, gradients_;
  const DeviceBuffer<Bfloat16> copy_;
  const DeviceBuffer<float> rows_;
  const DeviceBuffer<Bfloat16> narrow_rows_;
  const DeviceBuffer<std::int64_t> step_;
  bool sound_ = false;
};

// change(call, memory)
template <class Change>
Way dense(const char* name, double bytes_a_parameter, Change change) {
  return way<CaseRun>(name, [=](const CaseRun& memory, Turn& turn) {
    FusedAdam call = memory.dense();
    change(call, memory);
    memory.take(turn, bytes_a_parameter,
                [&](cudaStream_t stream) { expect_ok(fused_adam(call, stream)); });
  });
}
template <class Change>
Way decoder(const char* name, double bytes_a_parameter, Change change) {
  return way<CaseRun>(name, [=](const CaseRun& memory, Turn& turn) {
    FusedAdamDecoder call = memory.decoder();
    change(call, memory);
    memory.take(turn, bytes_a_parameter,
                [&](cudaStream_t stream) { expect_ok(fused_adam_decoder(call, stream)); });
  });
}

void gradient_then_dense(const CaseRun& memory, Turn& turn) {
  const FusedAdam call = memory.dense();
  memory.take(turn, 34, [&](cudaStream_t stream) {
    memory.enqueue_gradient(stream);
    expect_ok(fused_adam(call, stream));
  });
}
void lazy(const CaseRun& memory, Turn& turn) {
  const FusedAdamDecoder call = memory.decoder();
  memory.take(turn, 26 * memory.touched(),
              [&](cudaStream_t stream) { expect_ok(lazy_adam_decoder(call, stream)); });
}

std::vector<Way> dense_ways() {
  using Memory = const CaseRun&;
  return {
      dense("dense, fp32 gradient, copy", 30, [](FusedAdam&, Memory) {}),
      dense("dense, bf16 gradient, copy", 28,
            [](FusedAdam& call, Memory memory) { call = memory.dense(KeyType::bfloat16); }),
      dense("dense, fp32 gradient", 28, [](FusedAdam& call, Memory) { call.state.copy = nullptr; }),
      dense("dense, fp32 gradient, copy, zeroing", 34,
            [](FusedAdam& call, Memory) { call.zero_gradients = true; }),
      dense("the same, step on the device", 34, [](FusedAdam& call, Memory memory) {
        call.zero_gradients = true;
        call.settings.device_step = memory.device_step();
      })};
}

std::vector<Way> decoder_ways() {
  using Call = FusedAdamDecoder&;
  using Memory = const CaseRun&;
  return {
      way<CaseRun>("gradient, then dense, copy", gradient_then_dense),
      decoder("decoder, copy", 26, [](Call, Memory) {}),
      decoder("decoder, copy, in memory", 26,
              [](Call call, Memory) { call.order = FeatureOrder::in_memory; }),
      decoder("decoder, copy, in memory, bf16 rows", 26,
              [](Call call, Memory memory) {
                call.order = FeatureOrder::in_memory;
                call.output_gradients = memory.narrow_row_view();
              }),
      decoder("decoder, copy, bf16 rows", 26,
              [](Call call, Memory memory) { call.output_gradients = memory.narrow_row_view(); }),
      decoder("decoder, copy, step on the device", 26,
              [](Call call, Memory memory) { call.settings.device_step = memory.device_step(); }),
      decoder("decoder", 24, [](Call call, Memory) { call.state.copy = nullptr; }),
      way<CaseRun>("lazy decoder, copy", lazy)};
}

std::vector<Way> ways(const Case&) {
  std::vector<Way> all = dense_ways();
  for (Way& way : decoder_ways()) all.push_back(std::move(way));
  return all;
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"fused_adam against the rate of a copy.", 50, Yardstick::copy_rate,
                     bench_cases<CaseRun>(kCases, ways)});
}
