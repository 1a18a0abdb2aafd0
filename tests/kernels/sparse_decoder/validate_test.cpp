// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "kernels/sparse_decoder/silent_steps.hpp"
#include "kernels/sparse_decoder/sparse_decoder.hpp"
#include "kernels/sparse_decoder/squared_loss.hpp"

namespace stepscope::kernels {
namespace {

// Pointers that nothing reads: only their alignment is looked at.
template <class T>
T* pointer(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

const SparseDecoderShape kShape{4, 100, 64, 10};

ActiveFeatures good_list() {
  return {pointer<const std::int64_t>(0x1000), pointer<const std::int32_t>(0x2000),
          pointer<const void>(0x3000), KeyType::bfloat16, 50};
}
ConstLayerRows good_rows() {
  return {pointer<const void>(0x4000), KeyType::float32, 256, 64};
}

template <class Arguments>
std::string where(Arguments arguments, const std::function<void(Arguments&)>& change = {}) {
  if (change) change(arguments);
  return validate(arguments).where();
}

TEST(ValidateSparseDecoder, NamesTheBadPartOfAShape) {
  using Shape = SparseDecoderShape;
  EXPECT_EQ(where(kShape), "");
  EXPECT_EQ(where<Shape>(kShape, [](auto& s) { s.layers = -1; }), "layers");
  EXPECT_EQ(where<Shape>(kShape, [](auto& s) { s.features = 1 << 21; }), "features");
  EXPECT_EQ(where<Shape>(kShape, [](auto& s) { s.model = 12; }), "model");
  EXPECT_EQ(where<Shape>(kShape, [](auto& s) { s.tokens = std::int64_t{1} << 31; }), "tokens");
  EXPECT_EQ(where(Shape{16, 1 << 20, 2048, 1}), "features") << "too many weights";
}

TEST(ValidateSparseDecoder, NamesTheBadPartOfAForwardCall) {
  using Call = SparseDecoderForward;
  Call good{kShape, good_list(), pointer<const void>(0x5000)};
  good.outputs = {pointer<void>(0x6000), KeyType::bfloat16, 256, 64};
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.lanes = 4; }), "lanes");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.by_token.offsets = nullptr; }), "offsets");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.by_token.capacity = -1; }), "capacity");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.by_token.indices = nullptr; }), "indices");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.by_token.values = pointer<void>(0x3001); }),
            "values");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.weights = pointer<void>(0x5008); }), "weights");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.weight_type = KeyType::float16; }), "weight_type");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.bias = pointer<float>(0x7004); }), "bias");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.outputs.layer_stride = 60; }), "outputs");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.outputs.data = nullptr; }), "outputs");
  EXPECT_EQ(where<Call>(good, [](auto& a) { a.shape.tokens = 1 << 28; }), "tokens");
  EXPECT_EQ(where<Call>(good,
                        [](auto& a) {
                          a.by_token.capacity = 0;
                          a.by_token.indices = nullptr;
                          a.by_token.values = nullptr;
                        }),
            "")
      << "an empty list";
  EXPECT_EQ(where(Call{}), "") << "an empty decoder";
}

TEST(ValidateSparseDecoder, NamesTheBadPartOfAGradientCall) {
  using Activations = SparseDecoderActivationGradient;
  Activations good{kShape, good_list(), pointer<const void>(0x5000)};
  good.output_gradients = good_rows();
  good.gradients = pointer<void>(0x6002);
  good.workspace = pointer<void>(0x7000);
  good.workspace_bytes = sparse_decoder_workspace_bytes(good);
  EXPECT_EQ(good.workspace_bytes, 4U * 50 * 4) << "a number a target and entry";
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { a.by_token.values = nullptr; }), "");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { --a.workspace_bytes; }), "workspace_bytes");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { a.workspace = nullptr; }), "workspace");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { a.gradients = nullptr; }), "gradients");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { a.gradient_type = KeyType::float16; }),
            "gradient_type");
  EXPECT_EQ(where<Activations>(good, [](auto& a) { a.output_gradients.token_stride = -8; }),
            "output_gradients");

  using Weights = SparseDecoderWeightGradient;
  const Weights weights{kShape, good_list(), good_rows(), pointer<void>(0x5000)};
  EXPECT_EQ(where(weights), "");
  EXPECT_EQ(where<Weights>(weights, [](auto& a) { a.gradients = pointer<void>(0x5004); }),
            "gradients");
  EXPECT_EQ(where<Weights>(weights, [](auto& a) { a.by_feature.values = nullptr; }), "values");
  EXPECT_EQ(where<Weights>(
                weights, [](auto& a) { a.output_gradients.token_stride = std::int64_t{1} << 32; }),
            "output_gradients");

  using Bias = SparseDecoderBiasGradient;
  const Bias bias{kShape, good_rows(), pointer<float>(0x5000)};
  EXPECT_EQ(where(bias), "");
  EXPECT_EQ(where<Bias>(bias, [](auto& a) { a.gradients = nullptr; }), "gradients");
}

TEST(ValidateSparseDecoder, NamesTheBadPartOfASquaredLoss) {
  using Loss = SquaredLoss;
  const auto numbers = pointer<float>(0x5000);
  Loss good{17, 1028, numbers, numbers, numbers, 1, numbers, numbers, numbers};
  good.workspace = numbers;
  good.workspace_bytes = squared_loss_workspace_bytes(17, 1028);
  EXPECT_EQ(good.workspace_bytes, 4U * 8 + 2U * 1028 * 4) << "a number a block, a column and part";
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Loss>(good, [](auto& a) { a.columns = 6; }), "columns");
  EXPECT_EQ(where<Loss>(good, [](auto& a) { a.tokens = -1; }), "tokens");
  EXPECT_EQ(where<Loss>(good, [](auto& a) { a.loss = nullptr; }), "loss");
  EXPECT_EQ(where<Loss>(good, [](auto& a) { a.targets = pointer<float>(0x5004); }), "outputs");
  EXPECT_EQ(where<Loss>(good, [](auto& a) { --a.workspace_bytes; }), "workspace_bytes");
}

TEST(ValidateSparseDecoder, NamesTheBadPartOfSilentSteps) {
  using Silent = SilentSteps;
  Silent good{100, good_list(), 0, pointer<std::int64_t>(0x5000)};
  good.by_column.value_type = KeyType::float32;
  EXPECT_EQ(where(good), "");
  EXPECT_EQ(where<Silent>(good, [](auto& a) { a.steps = nullptr; }), "steps");
  EXPECT_EQ(where<Silent>(good, [](auto& a) { a.by_column.value_type = KeyType::bfloat16; }),
            "value_type");
}

}  // namespace
}  // namespace stepscope::kernels
