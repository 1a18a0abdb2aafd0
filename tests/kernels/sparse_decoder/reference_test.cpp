// SPDX-License-Identifier: Apache-2.0
// The reference against dense matrices of source and target pairs, and its gradients against finite
// differences of a loss.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/kernels/sparse_decoder/decoder_case.hpp"

namespace stepscope::kernels {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

const SparseDecoderShape kShape{3, 5, 8, 6};

std::size_t index(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// As a trainer has it: activations [layer][token][feature], decoders
// [target][source][model][feature].
struct Dense {
  SparseDecoderShape shape;
  std::vector<std::vector<double>> activations;
  std::vector<std::vector<std::vector<double>>> decoders;

  explicit Dense(const DecoderCase& made) : shape(made.shape) {
    activations.assign(index(shape.layers),
                       std::vector<double>(index(shape.tokens * shape.features)));
    for (std::int64_t token = 0; token < shape.tokens; ++token)
      for (std::int64_t i = made.active.offsets[index(token)];
           i < made.active.offsets[index(token + 1)]; ++i) {
        const std::int64_t column = made.active.columns[index(i)];
        activations[index(column / shape.features)]
                   [index(token * shape.features + column % shape.features)] =
                       made.active.values[index(i)];
      }
    // Weights in their order of memory: [source][feature][target - source][model].
    auto next = made.weights.begin();
    decoders.resize(index(shape.layers));
    for (std::int64_t target = 0; target < shape.layers; ++target)
      decoders[index(target)].assign(index(target + 1),
                                     std::vector<double>(index(shape.model * shape.features)));
    for (std::int64_t source = 0; source < shape.layers; ++source)
      for (std::int64_t feature = 0; feature < shape.features; ++feature)
        for (std::int64_t target = source; target < shape.layers; ++target)
          for (std::int64_t i = 0; i < shape.model; ++i)
            decoders[index(target)][index(source)][index(i * shape.features + feature)] = *next++;
  }

  double output(std::int64_t token, std::int64_t target, std::int64_t i) const {
    double sum = 0;
    for (std::int64_t source = 0; source <= target; ++source)
      for (std::int64_t feature = 0; feature < shape.features; ++feature)
        sum += activations[index(source)][index(token * shape.features + feature)] *
               decoders[index(target)][index(source)][index(i * shape.features + feature)];
    return sum;
  }
};

TEST(SparseDecoderReference, ForwardIsTheSumOfDenseProducts) {
  const DecoderCase made = made_case(kShape, 0.3);
  const Dense dense(made);
  std::vector<double> expected;
  for (std::int64_t token = 0; token < kShape.tokens; ++token)
    for (std::int64_t target = 0; target < kShape.layers; ++target)
      for (std::int64_t i = 0; i < kShape.model; ++i)
        expected.push_back(made.bias[index(target * kShape.model + i)] +
                           dense.output(token, target, i));
  EXPECT_THAT(forward_reference(kShape, made.active, made.weights, made.bias),
              Pointwise(DoubleNear(1e-12), expected));
}

// The loss whose gradient at the outputs is output_gradients.
double loss(const DecoderCase& made) {
  const std::vector<double> outputs =
      forward_reference(made.shape, made.active, made.weights, made.bias);
  return std::inner_product(outputs.begin(), outputs.end(), made.output_gradients.begin(), 0.0);
}

// The loss is linear in each number, so any step gives its derivative up to rounding.
std::vector<double> differences(std::vector<double>& numbers, const DecoderCase& made) {
  std::vector<double> slopes;
  for (double& number : numbers) {
    const double kept = number;
    number = kept + 1;
    const double above = loss(made);
    number = kept - 1;
    slopes.push_back((above - loss(made)) / 2);
    number = kept;
  }
  return slopes;
}

TEST(SparseDecoderReference, GradientsAreTheDerivativesOfALoss) {
  DecoderCase made = made_case(kShape, 0.3);
  EXPECT_THAT(
      activation_gradient_reference(kShape, made.active, made.weights, made.output_gradients),
      Pointwise(DoubleNear(1e-9), differences(made.active.values, made)));
  EXPECT_THAT(weight_gradient_reference(kShape, made.active, made.output_gradients),
              Pointwise(DoubleNear(1e-9), differences(made.weights, made)));
  EXPECT_THAT(bias_gradient_reference(kShape, made.output_gradients),
              Pointwise(DoubleNear(1e-9), differences(made.bias, made)));
}

TEST(SparseDecoderReference, AFeatureReachesItsOwnAndLaterLayersOnly) {
  const SparseDecoderShape shape{2, 1, 8, 1};
  // Vectors 0 -> 0, 0 -> 1, 1 -> 1.
  std::vector<double> weights(24);
  weights[0] = 1, weights[8] = 10, weights[16] = 100;
  const std::vector<double> outputs = forward_reference(shape, {{0, 1}, {1}, {2.0}}, weights, {});
  EXPECT_EQ(outputs[0], 0);
  EXPECT_EQ(outputs[8], 200);
  EXPECT_EQ(shape.vector(0, 0, 1), 1);
  EXPECT_EQ(shape.vector(1, 0, 1), 2);
  EXPECT_EQ(shape.weights(), 24);
}

TEST(SparseDecoderReference, ListsOfMadeCasesAgree) {
  const DecoderCase made = made_case({1, 2, 8, 3}, 0);
  EXPECT_THAT(made.active.columns, ElementsAre(0, 1, 1));
  EXPECT_THAT(by_feature(made.shape, made.active).tokens, ElementsAre(0, 0, 2));
}

}  // namespace
}  // namespace stepscope::kernels
