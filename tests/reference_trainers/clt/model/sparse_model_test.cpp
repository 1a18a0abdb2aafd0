// SPDX-License-Identifier: Apache-2.0
// The weights on lists against model.hpp's, from which they are laid out, and autograd.
#include "reference_trainers/clt/model/sparse_model.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>

#include "reference_trainers/clt/model/model.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

class SparseModelTest : public testing::Test {
 protected:
  SparseModelTest() {
    at::Generator random = trainers::seeded_generator(5, trainers::RandomStream::activations);
    for (std::int64_t layer = 0; layer < config_.layers; ++layer)
      inputs_.push_back(at::randn({config_.batch, config_.d_model}, random));
    activations_ = at::randn({config_.batch, config_.layers * config_.features}, random);
  }

  const Config config_ = tiny_config();
  const Model dense_{config_, at::kCPU};
  const SparseModel sparse_ = make_sparse_model(config_, at::kCPU, {0, config_.features});
  std::vector<at::Tensor> inputs_;
  at::Tensor activations_;
};

TEST_F(SparseModelTest, EncodesAndDecodesAsTheDenseOne) {
  const at::NoGradGuard no_grad;
  EXPECT_TRUE(
      at::allclose(sparse_.encode(inputs_), at::cat(dense_.encode(inputs_), 1), 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(sparse_.encode_without_bias(inputs_) + sparse_.encoder_bias.parameters,
                           sparse_.encode(inputs_), 1e-5, 1e-6));
  const at::Tensor decoded = decode_dense(sparse_.shape, sparse_.decoder.parameters,
                                          sparse_.decoder_bias.parameters, activations_);
  const auto expected = dense_.decode(activations_.split(config_.features, 1));
  EXPECT_TRUE(at::allclose(decoded, at::stack(expected, 1), 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(sparse_.decoder_norms(), at::cat(dense_.decoder_norms()), 1e-5, 1e-6));
}

TEST_F(SparseModelTest, TheEncodersGradientIsAutograds) {
  at::cat(dense_.encode(inputs_), 1).mul(activations_).sum().backward();
  std::vector<at::Tensor> expected;
  for (const at::Tensor& encoder : dense_.encoders()) expected.push_back(encoder.grad());
  EXPECT_TRUE(at::allclose(sparse_.encoder_gradient(activations_, inputs_), at::stack(expected),
                           1e-4, 1e-4));
}

TEST_F(SparseModelTest, HasTheParametersOfTheDenseOneAndSharesThemWithItsState) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : dense_.parameters()) count += parameter.numel();
  EXPECT_EQ(sparse_.parameter_count(), count);
  const TrainerState state = sparse_.state();
  ASSERT_EQ(state.size(), 12U);
  EXPECT_EQ(state.front().first, "encoder.parameters");
  EXPECT_TRUE(state.front().second.is_same(sparse_.encoder.parameters));
  EXPECT_EQ(state.back().first, "decoder_bias.second_moments");
  EXPECT_EQ(state.back().second.abs().max().item<double>(), 0);
}

TEST_F(SparseModelTest, WithMomentsOf8BitsItsStateHasCodesAndScalesOfWeights) {
  Config config = config_;
  config.fixes.moments_8bit = true;
  const SparseModel coded = make_sparse_model(config, at::kCPU, {0, config.features});
  EXPECT_EQ(coded.parameter_count(), sparse_.parameter_count());
  EXPECT_TRUE(coded.encoder.coded());
  EXPECT_TRUE(coded.decoder.coded());
  EXPECT_FALSE(coded.encoder_bias.coded());
  EXPECT_FALSE(coded.decoder_bias.coded());
  const TrainerState state = coded.state();
  ASSERT_EQ(state.size(), 14U);
  EXPECT_EQ(state[1].second.scalar_type(), at::kByte);
  EXPECT_EQ(state[3].first, "encoder.scales");
  EXPECT_EQ(state[3].second.sizes(), at::IntArrayRef({config.layers * config.features, 1, 2}));
  EXPECT_EQ(state[10].first, "decoder.scales");
}

}  // namespace
}  // namespace stepscope::clt
