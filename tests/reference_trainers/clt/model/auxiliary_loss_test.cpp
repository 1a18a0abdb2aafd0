// SPDX-License-Identifier: Apache-2.0
// The loss by hand, the written-out gradients against autograd in double precision, and what it is
// for: dead features come back.
#include "reference_trainers/clt/model/auxiliary_loss.hpp"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "reference_trainers/clt/model/sparse_auxiliary.hpp"
#include "reference_trainers/clt/training/training.hpp"
#include "reference_trainers/common/random.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"
#include "tests/reference_trainers/clt/trained.hpp"

namespace stepscope::clt {
namespace {

at::Tensor tensor(const std::vector<double>& values, at::IntArrayRef shape) {
  return at::tensor(values, at::kDouble).view(shape);
}

// One layer, two tokens, three features of which the last two are dead, one coordinate.
class ByHand : public testing::Test {
 protected:
  double loss(std::int64_t k) {
    Config config;
    config.aux_k = k;
    config.aux_k_coef = 0.5;
    return auxiliary_loss({preactivations_}, {error_}, {decoder_}, dead_, spaces_, config,
                          Ranks(config, alone_))
        .item<double>();
  }

  trainers::SingleComm alone_;
  at::Tensor preactivations_ = tensor({9, 3, -1, 9, 1, 2}, {2, 3});
  at::Tensor error_ = tensor({-1, -2}, {2, 1}), decoder_ = tensor({7, 2, 5}, {1, 3});
  at::Tensor dead_ = tensor({0, 1, 1}, {1, 3}).to(at::kBool);
  std::vector<Normalisation> spaces_{{tensor({4}, {1}), tensor({3}, {1})}};
};

TEST_F(ByHand, KeepsTheGreatestOfTheDead) {
  // Token 0 keeps 3 of feature 1: 3 * 2 - 1 = 5; token 1 keeps 2 of feature 2: 2 * 5 - 2 = 8.
  EXPECT_DOUBLE_EQ(loss(1), 0.5 * 9 * (25 + 64) / 2);
}

TEST_F(ByHand, CutsOffBelowZeroAndIsScaledWhereFewAreDead) {
  // All dead of k = 4 asked for: the -1 of token 0 counts as 0; token 1: 1 * 2 + 2 * 5 - 2 = 10.
  EXPECT_DOUBLE_EQ(loss(4), 0.5 * (2.0 / 4) * 9 * (25 + 100) / 2);
}

TEST_F(ByHand, IsZeroWhereNoneIsDead) {
  dead_ = at::zeros({1, 3}, at::kBool);
  EXPECT_EQ(loss(1), 0);
}

// Three layers, of which the second has no dead feature and the last fewer than k.
class WrittenOut : public testing::Test {
 protected:
  WrittenOut() {
    config_.aux_k = 5;
    at::Generator random = trainers::seeded_generator(3, trainers::RandomStream::weights);
    const auto normal = [&](at::IntArrayRef size) {
      return at::randn(size, random, at::TensorOptions(at::kDouble));
    };
    preactivations_ = normal({kShape.tokens, kShape.columns()});
    decoder_ = untouched(normal({kShape.weights()}));
    errors_ = normal({kShape.tokens, kShape.layers, kShape.model});
    deviations_ = normal({kShape.layers, kShape.model}).abs();
    dead_ = at::zeros({kShape.layers, kShape.features}, at::kBool);
    dead_[0].slice(0, 3, 11).fill_(true);
    dead_[2].slice(0, 7, 10).fill_(true);
    for (std::int64_t layer = 0; layer < kShape.layers; ++layer) {
      const at::Tensor vectors =
          weights_of_source(kShape, decoder_.parameters, layer).slice(1, 0, kShape.model);
      leaves_.push_back(vectors.t().clone().set_requires_grad(true));
    }
  }

  // By autograd; gradients are left in `leaves_` and in what `preactivations` returns.
  at::Tensor expected_loss(std::vector<at::Tensor>& preactivations) {
    std::vector<at::Tensor> errors;
    std::vector<Normalisation> spaces;
    for (std::int64_t layer = 0; layer < kShape.layers; ++layer) {
      const std::int64_t begin = layer * kShape.features;
      preactivations.push_back(
          preactivations_.slice(1, begin, begin + kShape.features).clone().set_requires_grad(true));
      errors.push_back(errors_.select(1, layer) / deviations_[layer]);  // in the normalised space
      spaces.push_back({deviations_[layer], deviations_[layer]});
    }
    at::Tensor loss = auxiliary_loss(preactivations, errors, leaves_, dead_, spaces, config_,
                                     Ranks(config_, alone_));
    loss.backward();
    return loss.detach();
  }
  Auxiliary found() {
    return auxiliary_of(kShape, config_, Ranks(config_, alone_), dead_, preactivations_, decoder_,
                        errors_, deviations_);
  }

  static constexpr SparseShape kShape{.layers = 3, .features = 12, .model = 8, .tokens = 6};
  trainers::SingleComm alone_;
  Config config_;
  at::Tensor preactivations_, errors_, deviations_, dead_;
  AdamState decoder_;
  std::vector<at::Tensor> leaves_;
};

void expect_equal(const at::Tensor& found, const at::Tensor& expected) {
  EXPECT_TRUE(at::allclose(found, expected, 1e-12, 1e-14)) << found << expected;
}

TEST_F(WrittenOut, LossAndGradientsAreAutograds) {
  std::vector<at::Tensor> preactivations;
  const at::Tensor expected = expected_loss(preactivations);
  Auxiliary auxiliary = found();
  expect_equal(auxiliary.loss, expected);

  at::Tensor gradients = at::zeros_like(preactivations_);
  add_preactivation_gradients(auxiliary, gradients);
  ASSERT_EQ(auxiliary.layers.size(), 2U);
  for (const AuxiliaryLayer& of : auxiliary.layers) {
    const auto layer = static_cast<std::size_t>(of.layer);
    expect_equal(gradients.slice(1, of.layer * kShape.features, (of.layer + 1) * kShape.features),
                 preactivations[layer].grad());
    const at::Tensor nothing = at::zeros_like(preactivations_);
    expect_equal(vector_gradients(of, nothing, errors_),
                 leaves_[layer].grad().t().index_select(0, of.features));
  }
  EXPECT_EQ(gradients.slice(1, kShape.features, 2 * kShape.features).abs().max().item<double>(), 0);
}

TEST_F(WrittenOut, VectorsHaveTheGradientOfTheStepsListsToo) {
  const at::Tensor activations = preactivations_ * (preactivations_ > 1);
  for (const AuxiliaryLayer& of : found().layers) {
    const at::Tensor apart = vector_gradients(of, at::zeros_like(activations), errors_);
    const at::Tensor rows = activations.slice(1, of.layer * kShape.features);
    const at::Tensor own = rows.t().mm(errors_.select(1, of.layer)).index_select(0, of.features);
    EXPECT_GT(own.abs().max().item<double>(), 0);
    expect_equal(vector_gradients(of, activations, errors_), apart + own);
  }
}

TEST_F(WrittenOut, IsOneReadWhereNoneIsDead) {
  dead_.fill_(false);
  const Auxiliary auxiliary = found();
  EXPECT_FALSE(auxiliary.loss.defined());
  EXPECT_TRUE(auxiliary.layers.empty());
}

Config config_with_dead_features() {
  Config config = tiny_config();
  config.k = 2;
  config.dead_window = 3;
  return config;
}

class EachStep : public testing::TestWithParam<std::string> {};

// Sparsity and the pull on silent features are on too, whose gradients it must not disturb.
TEST_P(EachStep, ReachesTheReferencesLosses) {
  Config config = config_with_dead_features();
  config.aux_k = 16;
  config.aux_k_coef = 1;
  config.sparsity_lambda = 1e-4;
  config.preactivation_coef = 0.1;
  const std::vector<StepResult> expected = train(config);
  ASSERT_TRUE(switch_fixes(config.fixes, {GetParam()}, true));
  const std::vector<StepResult> found = train(config);
  for (std::size_t step = 0; step < expected.size(); ++step) {
    const Losses& one = *expected[step].losses;
    const Losses& other = *found[step].losses;
    EXPECT_NEAR(other.auxiliary, one.auxiliary, 1e-3 * one.auxiliary) << step;
    EXPECT_NEAR(other.total, one.total, 1e-4 * one.total) << step;
    EXPECT_NEAR(one.total, one.reconstruction + one.sparsity + one.preactivation + one.auxiliary,
                1e-5 * one.total);
  }
  EXPECT_EQ(expected.front().losses->auxiliary, 0);
  EXPECT_GT(expected.back().losses->auxiliary, 0);
}
INSTANTIATE_TEST_SUITE_P(Fixes, EachStep, testing::Values("cached_encode", "sparse_step"),
                         [](const auto& about) { return about.param; });

// 130 of 768 features are dead at the end without it, 70 with it.
TEST(AuxiliaryLoss, DeadFeaturesComeBack) {
  Config config = config_with_dead_features();
  config.features = 256;
  config.dead_window = 20;
  config.steps = config.eval_every = 200;
  config.learning_rate = 3e-3;
  config.fixes.sparse_step = true;
  const std::int64_t without = train(config).back().metrics->dead;
  config.aux_k = 32;
  config.aux_k_coef = 1;
  const std::int64_t with = train(config).back().metrics->dead;
  EXPECT_GT(without, 100);
  EXPECT_LT(with, without * 3 / 4);
}

}  // namespace
}  // namespace stepscope::clt
