// SPDX-License-Identifier: Apache-2.0
// Each term and its written-out gradients against loss.hpp and autograd, in double precision. The
// auxiliary term has a test of its own (auxiliary_loss_test).
#include "reference_trainers/clt/model/sparse_loss.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "reference_trainers/clt/model/loss.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

constexpr std::int64_t kStep = 7;

class SparseLossTest : public testing::Test {
 protected:
  SparseLossTest()
      : config_(tiny_config()),
        model_(make_sparse_model(config_, at::kCPU, {0, config_.features})) {
    at::Generator random = trainers::seeded_generator(4, trainers::RandomStream::activations);
    const auto normal = [&](at::IntArrayRef size) {
      return at::randn(size, random, at::TensorOptions(at::kDouble));
    };
    model_.decoder.parameters = model_.decoder.parameters.to(at::kDouble);
    const SparseShape& shape = model_.shape;
    forward_.preactivations = normal({shape.tokens, shape.columns()});
    forward_.active =
        make_aten_ops(shape)->select(forward_.preactivations, config_.k * shape.tokens);
    forward_.outputs = normal({shape.tokens, shape.layers, shape.model});
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      targets_.push_back(normal({shape.tokens, shape.model}));
      spaces_.push_back({normal({shape.model}), normal({shape.model}).abs()});
    }
  }

  SparseLoss found() {
    return sparse_loss(config_, Ranks(config_, alone_), *ops_, model_, forward_, targets_,
                       stacked_deviations(spaces_), DeadFeatures(config_, at::kCPU), kStep);
  }

  trainers::SingleComm alone_;
  Config config_;
  SparseModel model_;
  std::unique_ptr<SparseOps> ops_ = make_aten_ops(model_.shape);
  SparseForward forward_;
  std::vector<at::Tensor> targets_;
  std::vector<Normalisation> spaces_;
};

void expect_close(const at::Tensor& found, const at::Tensor& expected) {
  ASSERT_TRUE(found.defined());
  EXPECT_TRUE(at::allclose(found, expected, 1e-10, 1e-14));
}

at::Tensor leaf(const at::Tensor& of) {
  return of.clone().set_requires_grad(true);
}

TEST_F(SparseLossTest, ReconstructionIsAutograds) {
  const at::Tensor outputs = leaf(forward_.outputs);
  const at::Tensor expected = reconstruction_loss(outputs.unbind(1), targets_, spaces_);
  expected.backward();
  const SparseLoss loss = found();
  expect_close(loss.parts.total, expected.detach());
  expect_close(loss.of_outputs, outputs.grad());
  expect_close(loss.of_decoder_bias, outputs.grad().sum(0));
}

TEST_F(SparseLossTest, SparsityIsAutograds) {
  config_.sparsity_lambda = 0.3;
  config_.sparsity_c = 2;
  FeatureList by_token = forward_.active.by_token;
  by_token.values = leaf(by_token.values);
  const std::int64_t features = config_.features;
  const at::Tensor expected =
      sparsity_penalty(dense_activations(model_.shape, by_token).split(features, 1),
                       model_.decoder_norms().split(features), config_, kStep);
  expected.backward();
  const SparseLoss loss = found();
  expect_close(loss.parts.sparsity, expected.detach());
  expect_close(loss.of_values, by_token.values.grad());
  expect_close(loss.parts.total, loss.parts.reconstruction + loss.parts.sparsity);
}

TEST_F(SparseLossTest, ThePullOnSilentFeaturesIsAutograds) {
  config_.preactivation_coef = 0.1;
  const at::Tensor preactivations = leaf(forward_.preactivations);
  const at::Tensor expected =
      preactivation_loss(preactivations.split(config_.features, 1), config_.preactivation_coef);
  expected.backward();
  const SparseLoss loss = found();
  expect_close(loss.parts.preactivation, expected.detach());
  expect_close(loss.of_preactivations, preactivations.grad());
  EXPECT_TRUE(loss.reaches_all_preactivations());
}

TEST_F(SparseLossTest, TermsWithoutAWeightAreLeftOut) {
  config_.aux_k = 4;  // and no feature is dead
  const SparseLoss loss = found();
  EXPECT_FALSE(loss.parts.sparsity.defined() || loss.of_values.defined());
  EXPECT_FALSE(loss.parts.preactivation.defined() || loss.of_preactivations.defined());
  EXPECT_FALSE(loss.parts.auxiliary.defined() || loss.reaches_all_preactivations());
}

}  // namespace
}  // namespace stepscope::clt
