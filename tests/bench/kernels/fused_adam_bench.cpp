// SPDX-License-Identifier: Apache-2.0
// fused_adam against the rate of a copy in the same run.
//
//   fused_adam_bench [--repetitions N] [--case NAME] [--once]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2; bytes read
// and written, TB/s, and of the copy's rate. Before it is timed, the fused decoder's update must
// give the bits of the gradient and the dense update apart, compared on samples. --once runs each
// way once and times nothing (for profilers).
#include <stdexcept>
#include <string>

#include "kernels/fused_adam/fused_adam.hpp"
#include "tests/bench/kernels/copy_rate.hpp"
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

void expect_ok(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

class CaseRun {
 public:
  CaseRun(const Case& c, const BenchOptions& options, Bench& bench, double copy_terabytes)
      : case_(c),
        options_(options),
        bench_(bench),
        copy_terabytes_(copy_terabytes),
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
                bench.stream());
    fill_normal(rows_.data(), KeyType::float32, static_cast<std::int64_t>(rows_.size()), 2,
                bench.stream());
    reset();
  }

  bool run() {
    print_rate_header(case_.name);
    std::printf("%.1f M parameters, %.1f %% of vectors touched\n",
                static_cast<double>(count_) * 1e-6,
                100.0 * static_cast<double>(lists_.touched_vectors() * shape_.model) /
                    static_cast<double>(count_));
    const bool sound = judge();
    run_dense();
    run_decoder();
    return sound;
  }

 private:
  void reset() {
    fill_normal(parameters_.data(), KeyType::float32, shape_.weights(), 1, bench_.stream());
    first_.fill_bytes(0);
    second_.fill_bytes(0);
    copy_.fill_bytes(0xff);
    cuda_check(cudaStreamSynchronize(bench_.stream()), "cudaStreamSynchronize");
  }

  FusedAdam dense(KeyType type) const {
    FusedAdam call{state(), shape_.weights(), gradients_.data(), type};
    return call;
  }
  FusedAdamDecoder decoder() const { return {state(), shape_, lists_.by_feature(), row_view()}; }
  void enqueue_gradient(cudaStream_t stream) const {
    expect_ok(sparse_decoder_weight_gradient(
        {shape_, lists_.by_feature(), row_view(), gradients_.data()}, stream));
  }

  // Bits of samples after one step both ways.
  bool judge() {
    enqueue_gradient(bench_.stream());
    expect_ok(fused_adam(dense(KeyType::float32), bench_.stream()));
    const std::vector<std::uint32_t> apart = samples();
    reset();
    expect_ok(fused_adam_decoder(decoder(), bench_.stream()));
    const bool sound = samples() == apart;
    std::printf("fused decoder: %s\n", sound ? "sound" : "WRONG");
    return sound;
  }
  std::vector<std::uint32_t> samples() const {
    cuda_check(cudaStreamSynchronize(bench_.stream()), "cudaStreamSynchronize");
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

  void run_dense() {
    const auto run = [&](const std::string& what, double bytes, const FusedAdam& call) {
      time(what, bytes, [&](cudaStream_t stream) { expect_ok(fused_adam(call, stream)); });
    };
    run("dense, fp32 gradient, copy", 30, dense(KeyType::float32));
    run("dense, bf16 gradient, copy", 28, dense(KeyType::bfloat16));
    FusedAdam call = dense(KeyType::float32);
    call.state.copy = nullptr;
    run("dense, fp32 gradient", 28, call);
    call = dense(KeyType::float32);
    call.zero_gradients = true;
    run("dense, fp32 gradient, copy, zeroing", 34, call);
    call.settings.device_step = step_.data();
    run("the same, step on the device", 34, call);
  }

  void run_decoder() {
    const double touched =
        static_cast<double>(lists_.touched_vectors() * shape_.model) / static_cast<double>(count_);
    time("gradient, then dense, copy", 34, [&](cudaStream_t stream) {
      enqueue_gradient(stream);
      expect_ok(fused_adam(dense(KeyType::float32), stream));
    });
    FusedAdamDecoder call = decoder();
    const auto enqueue = [&](cudaStream_t stream) { expect_ok(fused_adam_decoder(call, stream)); };
    time("decoder, copy", 26, enqueue);
    call.order = FeatureOrder::in_memory;
    time("decoder, copy, in memory", 26, enqueue);
    call.output_gradients.data = narrow_rows_.data();
    call.output_gradients.type = KeyType::bfloat16;
    time("decoder, copy, in memory, bf16 rows", 26, enqueue);
    call.order = FeatureOrder::by_target;
    time("decoder, copy, bf16 rows", 26, enqueue);
    call.output_gradients = row_view();
    call.settings.device_step = step_.data();
    time("decoder, copy, step on the device", 26, enqueue);
    call.settings.device_step = nullptr;
    call.state.copy = nullptr;
    time("decoder", 24, enqueue);
    call = decoder();
    time("lazy decoder, copy", 26 * touched,
         [&](cudaStream_t stream) { expect_ok(lazy_adam_decoder(call, stream)); });
  }

  void time(const std::string& what, double bytes_a_parameter,
            const std::function<void(cudaStream_t)>& enqueue) {
    enqueue(bench_.stream());
    cuda_check(cudaStreamSynchronize(bench_.stream()), what.c_str());
    if (options_.once) return;
    print_rate(what, bench_.time(enqueue), bytes_a_parameter * static_cast<double>(count_),
               copy_terabytes_);
  }

  AdamState state() const {
    return {parameters_.data(), first_.data(), second_.data(), copy_.data()};
  }
  ConstLayerRows row_view() const {
    return {rows_.data(), KeyType::float32, shape_.layers * shape_.model, shape_.model};
  }

  const Case case_;
  const BenchOptions options_;
  Bench& bench_;
  const double copy_terabytes_;
  const SparseDecoderShape shape_;
  const MadeLists lists_;
  const std::size_t count_;
  const DeviceBuffer<float> parameters_, first_, second_, gradients_;
  const DeviceBuffer<Bfloat16> copy_;
  const DeviceBuffer<float> rows_;
  const DeviceBuffer<Bfloat16> narrow_rows_;
  const DeviceBuffer<std::int64_t> step_;
};

bool run_all(const BenchOptions& options) {
  return run_cases<CaseRun>(kCases, options);
}

}  // namespace
}  // namespace stepscope::kernels

int main(int count, char** words) {
  return stepscope::kernels::bench_main(count, words, 50, stepscope::kernels::run_all);
}
