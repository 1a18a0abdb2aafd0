// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mse_loss.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference_trainers/clt/selection/batch_topk.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

std::vector<at::Tensor> random_layers(const Config& config, std::int64_t width) {
  at::Generator random = trainers::seeded_generator(5, trainers::RandomStream::activations);
  std::vector<at::Tensor> layers;
  for (std::int64_t layer = 0; layer < config.layers; ++layer) {
    layers.push_back(at::randn({config.batch, width}, random));
  }
  return layers;
}

TEST(Model, HasAnEncoderALayerAndADecoderAPair) {
  const Config config = tiny_config();
  const Model model(config, at::kCPU);
  ASSERT_EQ(model.encoders().size(), 3U);
  std::size_t decoders = 0;
  for (const auto& sources : model.decoders()) decoders += sources.size();
  EXPECT_EQ(decoders, 6U);
  EXPECT_EQ(model.encoders()[0].sizes(), (at::IntArrayRef{64, 16}));
  EXPECT_EQ(model.decoders()[2][0].sizes(), (at::IntArrayRef{16, 64}));
  EXPECT_EQ(model.parameters().size(), 3U + 3U + 6U + 3U);
}

void expect_uniform(const at::Tensor& weight, double bound) {
  EXPECT_LE(weight.abs().max().item<double>(), bound);
  EXPECT_GT(weight.abs().max().item<double>(), 0.95 * bound);
  EXPECT_NEAR(weight.std().item<double>(), bound / std::sqrt(3.0), 0.1 * bound);
}

TEST(Model, StartsUniformWithZeroBiases) {
  const Model model(tiny_config(), at::kCPU);
  expect_uniform(model.encoders()[1], 1 / std::sqrt(64.0));
  expect_uniform(model.decoders()[2][1], 1 / std::sqrt(3 * 16.0));
  EXPECT_EQ(model.encoder_biases()[0].abs().sum().item<double>(), 0);
  EXPECT_EQ(model.decoder_biases()[0].abs().sum().item<double>(), 0);
}

TEST(Model, SeedFixesTheWeights) {
  Config config = tiny_config();
  const Model first(config, at::kCPU), same(config, at::kCPU);
  config.seed = 1;
  const Model other(config, at::kCPU);
  EXPECT_TRUE(first.decoders()[2][2].equal(same.decoders()[2][2]));
  EXPECT_FALSE(first.decoders()[2][2].equal(other.decoders()[2][2]));
}

TEST(Model, DecodesFromOwnAndEarlierLayersOnly) {
  const Config config = tiny_config();
  const Model model(config, at::kCPU);
  std::vector<at::Tensor> activations = random_layers(config, config.features);
  const std::vector<at::Tensor> before = model.decode(activations);
  const at::Tensor expected = at::matmul(activations[0], model.decoders()[1][0].t()) +
                              at::matmul(activations[1], model.decoders()[1][1].t());
  EXPECT_TRUE(before[1].allclose(expected, 1e-4, 1e-5));

  activations[1] = activations[1] + 1;
  const std::vector<at::Tensor> after = model.decode(activations);
  EXPECT_TRUE(before[0].equal(after[0]));
  EXPECT_FALSE(before[1].equal(after[1]));
  EXPECT_FALSE(before[2].equal(after[2]));
}

TEST(Model, DecoderNormIsOverAllTargets) {
  const Model model(tiny_config(), at::kCPU);
  double squares = 0;
  for (std::size_t target = 1; target < 3; ++target) {
    squares += model.decoders()[target][1].select(1, 7).square().sum().item<double>();
  }
  EXPECT_NEAR(model.decoder_norms()[1][7].item<double>(), std::sqrt(squares), 1e-5);
}

double loss_of(const Model& model, const std::vector<at::Tensor>& inputs, std::int64_t k,
               at::Tensor* differentiable) {
  at::Tensor loss;
  const std::vector<at::Tensor> outputs = model.decode(batch_topk(model.encode(inputs), k));
  for (const at::Tensor& output : outputs) {
    const at::Tensor term = (output - 0.1).square().mean();
    loss = loss.defined() ? loss + term : term;
  }
  if (differentiable != nullptr) *differentiable = loss;
  return loss.item<double>();
}

// Along a random direction v, gradient . v = (loss(w + h v) - loss(w - h v)) / 2h. Encoders are
// checked with k = all, because the selection jumps; decoders with a real k, because it cannot
// depend on them.
void check_gradient(at::Tensor weight, const Model& model, const std::vector<at::Tensor>& inputs,
                    std::int64_t k) {
  at::Tensor loss;
  loss_of(model, inputs, k, &loss);
  loss.backward();
  const at::NoGradGuard no_grad;
  const at::Tensor direction = weight.grad() + 0.1 * weight.grad().abs().mean();
  const double analytic = (weight.grad() * direction).sum().item<double>();
  const double step = 0.02 / direction.norm().item<double>();
  weight.add_(direction, step);
  const double above = loss_of(model, inputs, k, nullptr);
  weight.add_(direction, -2 * step);
  const double below = loss_of(model, inputs, k, nullptr);
  EXPECT_NEAR((above - below) / (2 * step), analytic, 0.01 * std::abs(analytic));
}

TEST(Model, GradientsAgreeWithFiniteDifferences) {
  const Config config = tiny_config();
  const std::vector<at::Tensor> inputs = random_layers(config, config.d_model);
  const Model of_decoder(config, at::kCPU), of_encoder(config, at::kCPU);
  check_gradient(of_decoder.decoders()[2][1], of_decoder, inputs, config.k);
  check_gradient(of_encoder.encoders()[1], of_encoder, inputs, config.layers * config.features);
}

}  // namespace
}  // namespace stepscope::clt
