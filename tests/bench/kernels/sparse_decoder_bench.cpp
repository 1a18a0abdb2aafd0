// SPDX-License-Identifier: Apache-2.0
// sparse_decoder against what its bytes cost at the rate of a copy in the same run.
//
//   sparse_decoder_bench [--repetitions N] [--case NAME] [--once] [--benchmark_...]
//
// A line each: median, 99th percentile and least time in microseconds with a cold L2; the bytes
// that must come from memory (touched vectors once, outputs, gradients), TB/s of them, and of the
// copy's rate. Answers are judged at samples before they are timed. --help lists the flags.
#include <cstdio>
#include <string>

#include "kernels/sparse_decoder/decoder_costs.hpp"
#include "tests/bench/kernels/bench_main.hpp"
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

SparseDecoderShape shape_of(const Case& c) {
  return {12, c.features, 768, 1024};
}

class CaseRun : public CaseMemory {
 public:
  CaseRun(const Case& c, cudaStream_t stream)
      : case_(c),
        shape_(shape_of(c)),
        lists_(shape_, kActive, c.activity),
        weights_(static_cast<std::size_t>(shape_.weights()) * bytes_of(c.weights)),
        rows_(static_cast<std::size_t>(shape_.tokens * shape_.layers * shape_.model)),
        outputs_(rows_.size()),
        value_gradients_(static_cast<std::size_t>(shape_.tokens * kActive)),
        bias_(static_cast<std::size_t>(shape_.layers * shape_.model)) {
    fill_normal(weights_.data(), c.weights, shape_.weights(), 1, stream);
    fill_normal(rows_.data(), KeyType::float32, static_cast<std::int64_t>(rows_.size()), 2, stream);
  }

  std::string note() const override {
    char line[160];
    std::snprintf(line, sizeof line,
                  "active %.3f GB, touched %.3f GB, predicted: sparse %.0f us, dense %.0f us",
                  vector_bytes(lists_.active_vectors()) * 1e-9, touched_bytes() * 1e-9,
                  sparse_forward_us(shape_, kActive, case_.weights),
                  dense_forward_us(shape_, case_.weights));
    return line;
  }

  void forward(Turn& turn, LanesOfPiece lanes) const {
    SparseDecoderForward call{shape_, lists_.by_token(), weights_.data(), case_.weights};
    call.outputs = {outputs_.data(), KeyType::float32, shape_.layers * shape_.model, shape_.model};
    call.lanes = lanes;
    take(
        turn, outputs_, touched_bytes() + row_bytes(),
        [&](cudaStream_t stream) { expect_ok(sparse_decoder_forward(call, stream)); },
        [&](std::int64_t i) {
          return output_is_sound(memory(), lists_.host_by_token(), outputs_.data(),
                                 i * 241 % shape_.tokens, i % shape_.layers);
        });
  }

  void activation_gradient(Turn& turn, LanesOfPiece lanes) const {
    SparseDecoderActivationGradient call{
        shape_,     lists_.by_token(),       weights_.data(),  case_.weights,
        row_view(), value_gradients_.data(), KeyType::float32, lanes};
    const DeviceBuffer<std::byte> workspace(sparse_decoder_workspace_bytes(call));
    call.workspace = workspace.data();
    call.workspace_bytes = workspace.size();
    take(
        turn, value_gradients_, touched_bytes() + row_bytes(),
        [&](cudaStream_t stream) { expect_ok(sparse_decoder_activation_gradient(call, stream)); },
        [&](std::int64_t i) {
          const std::int64_t token = i * 241 % shape_.tokens;
          return value_gradient_is_sound(memory(), lists_.host_by_token(), value_gradients_.data(),
                                         token, token * kActive + i * 37 % kActive);
        });
  }

  void weight_gradient(Turn& turn, FeatureOrder order, KeyType type) const {
    const DeviceBuffer<std::byte> gradients(static_cast<std::size_t>(shape_.weights()) *
                                            bytes_of(type));
    SparseDecoderWeightGradient call{shape_, lists_.by_feature(), row_view(), gradients.data()};
    call.order = order;
    call.gradient_type = type;
    take(
        turn, gradients, static_cast<double>(gradients.bytes()) + row_bytes(),
        [&](cudaStream_t stream) { expect_ok(sparse_decoder_weight_gradient(call, stream)); },
        [&](std::int64_t i) {
          return weight_gradient_is_sound(memory(), lists_.host_by_feature(), gradients.data(),
                                          type, i * 7919 % shape_.columns(), shape_.layers - 1);
        });
  }

  void bias_gradient(Turn& turn) const {
    const SparseDecoderBiasGradient call{shape_, row_view(), bias_.data()};
    take(
        turn, bias_, row_bytes(),
        [&](cudaStream_t stream) { expect_ok(sparse_decoder_bias_gradient(call, stream)); },
        [&](std::int64_t i) {
          return bias_gradient_is_sound(memory(), bias_.data(), i % shape_.layers);
        });
  }

 private:
  template <class T, class Sample>
  static void take(Turn& turn, const DeviceBuffer<T>& out, double bytes, const Enqueue& enqueue,
                   Sample sample) {
    Work work{.bytes = bytes, .enqueue = enqueue};
    work.spoil = [&] { out.fill_bytes(0xff); };
    work.judge = [&]() -> Judgement {
      for (std::int64_t i = 0; i < 24; ++i)
        if (!sample(i)) return {false, " at sample " + std::to_string(i)};
      return {true, " at 24 samples"};
    };
    turn.take(work);
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
  const SparseDecoderShape shape_;
  const MadeLists lists_;
  const DeviceBuffer<std::byte> weights_;
  const DeviceBuffer<float> rows_, outputs_, value_gradients_, bias_;
};

void add_over_tokens(const Case& c, LanesOfPiece lanes, std::vector<Way>* ways) {
  const SparseDecoderShape shape = shape_of(c);
  const bool chosen = lanes_of_piece(shape, shape.tokens * kActive, c.weights) == lanes;
  const std::string what = ", " + std::to_string(lanes) + " lanes" + (chosen ? ", chosen" : "");
  ways->push_back(way<CaseRun>(
      "forward" + what, [=](const CaseRun& memory, Turn& turn) { memory.forward(turn, lanes); }));
  ways->push_back(way<CaseRun>(
      "activation gradient" + what,
      [=](const CaseRun& memory, Turn& turn) { memory.activation_gradient(turn, lanes); }));
}

Way weight_gradient(const char* name, FeatureOrder order, KeyType type) {
  return way<CaseRun>(
      name, [=](const CaseRun& memory, Turn& turn) { memory.weight_gradient(turn, order, type); });
}

std::vector<Way> ways(const Case& c) {
  using enum FeatureOrder;
  std::vector<Way> ways;
  for (const LanesOfPiece lanes : {8, 16, 32}) add_over_tokens(c, lanes, &ways);
  ways.push_back(weight_gradient("weight gradient, fp32", by_target, KeyType::float32));
  ways.push_back(weight_gradient("weight gradient, fp32, in memory", in_memory, KeyType::float32));
  ways.push_back(weight_gradient("weight gradient, bf16", by_target, KeyType::bfloat16));
  ways.push_back(way<CaseRun>("bias gradient", &CaseRun::bias_gradient));
  return ways;
}

}  // namespace
}  // namespace stepscope::kernels

int main(int argc, char** argv) {
  using namespace stepscope::kernels;
  return bench_main(argc, argv,
                    {"sparse_decoder against what its bytes cost at the rate of a copy.", 100,
                     Yardstick::copy_rate, bench_cases<CaseRun>(kCases, ways)});
}
