// SPDX-License-Identifier: Apache-2.0
// The kernels against the reference, within what fp32 sums may round.
#include "tests/kernels/sparse_decoder/decoder_on_device.hpp"
#include "tests/kernels/sparse_decoder/rounding_bound.hpp"

namespace stepscope::kernels {
namespace {

constexpr SparseDecoderShape kShapes[] = {{3, 50, 64, 33}, {2, 40, 264, 17}, {1, 9, 8, 5},
                                          {5, 33, 776, 9}, {12, 7, 128, 20}, {2, 300, 512, 3}};

class SparseDecoderGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_found()) GTEST_SKIP() << "no GPU";
  }

  static void check(const DecoderCase& made, const DecoderTypes& types, const std::string& what) {
    const Stream stream;
    const DecoderOnDevice on_device(made, types);
    on_device.run_all(stream);
    stream.synchronize();
    const DecoderCase sizes = magnitudes(made);
    const SparseDecoderShape& s = made.shape;
    const auto most = static_cast<double>(s.columns());
    expect_near(on_device.outputs(), forward_reference(s, made.active, made.weights, made.bias),
                forward_reference(s, sizes.active, sizes.weights, sizes.bias),
                {most + 1, types.rows}, what + ", outputs");
    expect_near(
        on_device.value_gradients(),
        activation_gradient_reference(s, made.active, made.weights, made.output_gradients),
        activation_gradient_reference(s, sizes.active, sizes.weights, sizes.output_gradients),
        {static_cast<double>(s.layers * s.model), types.gradients}, what + ", values");
    const auto tokens = static_cast<double>(s.tokens);
    expect_near(on_device.weight_gradients(),
                weight_gradient_reference(s, made.active, made.output_gradients),
                weight_gradient_reference(s, sizes.active, sizes.output_gradients),
                {tokens, types.gradients}, what + ", weights");
    expect_near(on_device.bias_gradients(), bias_gradient_reference(s, made.output_gradients),
                bias_gradient_reference(s, sizes.output_gradients), {tokens, KeyType::float32},
                what + ", biases");
  }
};

std::string text(const SparseDecoderShape& s) {
  return std::to_string(s.layers) + " x " + std::to_string(s.features) + " x " +
         std::to_string(s.model) + ", " + std::to_string(s.tokens) + " tokens";
}

TEST_F(SparseDecoderGpu, EqualsTheReferenceOnEveryShape) {
  Turns turns;
  for (const SparseDecoderShape& shape : kShapes)
    for (const double share : turns.one_of<double>({0.0, 0.05, 0.6}))
      check(made_case(shape, share), {}, text(shape) + ", share " + std::to_string(share));
}

TEST_F(SparseDecoderGpu, EqualsTheReferenceInEveryTypeAndCut) {
  const DecoderCase made = made_case({3, 50, 264, 21}, 0.2);
  const std::vector<RowOrder> orders = {RowOrder::tokens_first, RowOrder::layers_first};
  Turns turns;
  for (const KeyType weights : {KeyType::bfloat16, KeyType::float32})
    for (const KeyType rows : {KeyType::bfloat16, KeyType::float32})
      for (const KeyType gradients : {KeyType::bfloat16, KeyType::float32})
        for (const LanesOfPiece lanes : {8, 16, 32})
          for (const RowOrder order : turns.one_of(orders)) {
            const DecoderTypes types{weights, rows, rows, gradients, lanes, order};
            check(made, types, "lanes " + std::to_string(lanes));
          }
}

// fp32 weights and values that bf16 does not hold.
TEST_F(SparseDecoderGpu, Fp32NumbersAreNotRounded) {
  DecoderCase made = made_case({2, 20, 72, 12}, 0.3);
  for (auto* numbers : {&made.weights, &made.active.values, &made.output_gradients, &made.bias})
    for (double& number : *numbers) number = static_cast<float>(number * 1.0001);
  check(made,
        {KeyType::float32, KeyType::float32, KeyType::float32, KeyType::float32, 0,
         RowOrder::tokens_first},
        "fp32");
}

}  // namespace
}  // namespace stepscope::kernels
