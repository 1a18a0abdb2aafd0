// SPDX-License-Identifier: Apache-2.0
// sparse_decoder against what its bytes cost at the rate of a copy in the same run.
//
//   sparse_decoder_bench [--repetitions N] [--case NAME] [--once]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2; the bytes
// that must come from memory (touched vectors once, outputs, gradients), TB/s of them, and of the
// copy's rate. Answers are judged at samples. --once runs each way once and times nothing (for
// profilers).
#include <stdexcept>
#include <string>

#include "kernels/sparse_decoder/decoder_costs.hpp"
#include "tests/bench/kernels/copy_rate.hpp"
#include "tests/bench/kernels/decoder_samples.hpp"
#include "tests/kernels/support/device_data.hpp"

namespace stepscope::kernels {
namespace {

struct Case {
  const char* name;
  std::int64_t features;
  KeyType weights;
  Activity activity;
};

// 12 layers, vectors of 768, 1024 tokens with 200 active features each.
constexpr Case kCases[] = {
    {"bf16 F4096", 4096, KeyType::bfloat16, Activity::uniform},
    {"bf16 F16384", 16384, KeyType::bfloat16, Activity::uniform},
    {"bf16 F16384 skewed", 16384, KeyType::bfloat16, Activity::skewed},
    {"bf16 F49152", 49152, KeyType::bfloat16, Activity::uniform},
    {"fp32 F16384", 16384, KeyType::float32, Activity::uniform},
};
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
        weights_(static_cast<std::size_t>(shape_.weights()) * bytes_of(c.weights)),
        rows_(static_cast<std::size_t>(shape_.tokens * shape_.layers * shape_.model)),
        outputs_(rows_.size()),
        value_gradients_(static_cast<std::size_t>(shape_.tokens * kActive)),
        bias_(static_cast<std::size_t>(shape_.layers * shape_.model)) {
    fill_normal(weights_.data(), c.weights, shape_.weights(), 1, bench.stream());
    fill_normal(rows_.data(), KeyType::float32, static_cast<std::int64_t>(rows_.size()), 2,
                bench.stream());
  }

  bool run() {
    print_rate_header(case_.name);
    std::printf("active %.3f GB, touched %.3f GB, predicted: sparse %.0f us, dense %.0f us\n",
                vector_bytes(lists_.active_vectors()) * 1e-9, touched_bytes() * 1e-9,
                sparse_forward_us(shape_, kActive, case_.weights),
                dense_forward_us(shape_, case_.weights));
    bool sound = true;
    for (const LanesOfPiece lanes : {8, 16, 32}) sound = run_over_tokens(lanes) && sound;
    sound = run_weight_gradient() && sound;
    const SparseDecoderBiasGradient bias{shape_, row_view(), bias_.data()};
    time("bias gradient", row_bytes(),
         [&](cudaStream_t stream) { expect_ok(sparse_decoder_bias_gradient(bias, stream)); });
    return sound;
  }

 private:
  bool run_over_tokens(LanesOfPiece lanes) {
    const std::string chosen =
        lanes_of_piece(shape_, shape_.tokens * kActive, case_.weights) == lanes ? ", chosen" : "";
    const std::string what = ", " + std::to_string(lanes) + " lanes" + chosen;
    SparseDecoderForward forward{shape_, lists_.by_token(), weights_.data(), case_.weights};
    forward.outputs = {outputs_.data(), KeyType::float32, shape_.layers * shape_.model,
                       shape_.model};
    forward.lanes = lanes;
    outputs_.fill_bytes(0xff);
    time("forward" + what, touched_bytes() + row_bytes(),
         [&](cudaStream_t stream) { expect_ok(sparse_decoder_forward(forward, stream)); });

    SparseDecoderActivationGradient gradient{
        shape_,     lists_.by_token(),       weights_.data(),  case_.weights,
        row_view(), value_gradients_.data(), KeyType::float32, lanes};
    const DeviceBuffer<std::byte> workspace(sparse_decoder_workspace_bytes(gradient));
    gradient.workspace = workspace.data();
    gradient.workspace_bytes = workspace.size();
    value_gradients_.fill_bytes(0xff);
    time("activation gradient" + what, touched_bytes() + row_bytes(), [&](cudaStream_t stream) {
      expect_ok(sparse_decoder_activation_gradient(gradient, stream));
    });
    return judge("outputs",
                 [&](std::int64_t i) {
                   return output_is_sound(memory(), lists_.host_by_token(), outputs_.data(),
                                          i * 241 % shape_.tokens, i % shape_.layers);
                 }) &&
           judge("activation gradients", [&](std::int64_t i) {
             const std::int64_t token = i * 241 % shape_.tokens;
             return value_gradient_is_sound(memory(), lists_.host_by_token(),
                                            value_gradients_.data(), token,
                                            token * kActive + i * 37 % kActive);
           });
  }

  bool run_weight_gradient() {
    const DeviceBuffer<float> gradients(static_cast<std::size_t>(shape_.weights()));
    gradients.fill_bytes(0xff);
    SparseDecoderWeightGradient call{shape_, lists_.by_feature(), row_view(), gradients.data()};
    const auto enqueue = [&](cudaStream_t stream) {
      expect_ok(sparse_decoder_weight_gradient(call, stream));
    };
    time("weight gradient, fp32", static_cast<double>(gradients.bytes()) + row_bytes(), enqueue);
    const bool sound = judge("weight gradients", [&](std::int64_t i) {
      const std::int64_t column = i * 7919 % shape_.columns();
      return weight_gradient_is_sound(memory(), lists_.host_by_feature(), gradients.data(), column,
                                      shape_.layers - 1);
    });
    call.order = FeatureOrder::in_memory;
    time("weight gradient, fp32, in memory", static_cast<double>(gradients.bytes()) + row_bytes(),
         enqueue);
    call.order = FeatureOrder::by_target;
    call.gradient_type = KeyType::bfloat16;
    time("weight gradient, bf16", static_cast<double>(gradients.bytes()) / 2 + row_bytes(),
         enqueue);
    return sound;
  }

  template <class Sample>
  static bool judge(const char* what, Sample sample) {
    for (std::int64_t i = 0; i < 24; ++i)
      if (!sample(i)) {
        std::printf("%s: WRONG at sample %lld\n", what, static_cast<long long>(i));
        return false;
      }
    std::printf("%s: sound at 24 samples\n", what);
    return true;
  }

  void time(const std::string& what, double bytes,
            const std::function<void(cudaStream_t)>& enqueue) {
    enqueue(bench_.stream());
    cuda_check(cudaStreamSynchronize(bench_.stream()), what.c_str());
    if (!options_.once) print_rate(what, bench_.time(enqueue), bytes, copy_terabytes_);
  }

  DecoderMemory memory() const { return {shape_, weights_.data(), case_.weights, rows_.data()}; }
  ConstLayerRows row_view() const {
    return {rows_.data(), KeyType::float32, shape_.layers * shape_.model, shape_.model};
  }
  double vector_bytes(std::int64_t vectors) const {
    return static_cast<double>(vectors * shape_.model) *
           static_cast<double>(bytes_of(case_.weights));
  }
  double touched_bytes() const { return vector_bytes(lists_.touched_vectors()); }
  double row_bytes() const { return static_cast<double>(rows_.bytes()); }

  const Case case_;
  const BenchOptions options_;
  Bench& bench_;
  const double copy_terabytes_;
  const SparseDecoderShape shape_;
  const MadeLists lists_;
  const DeviceBuffer<std::byte> weights_;
  const DeviceBuffer<float> rows_, outputs_, value_gradients_, bias_;
};

bool run_all(const BenchOptions& options) {
  return run_cases<CaseRun>(kCases, options);
}

}  // namespace
}  // namespace stepscope::kernels

int main(int count, char** words) {
  return stepscope::kernels::bench_main(count, words, 100, stepscope::kernels::run_all);
}
