// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/model/loss.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::clt {
namespace {

TEST(Loss, ReconstructionIsMeanALayerSummedInTheOriginalSpace) {
  const std::vector<at::Tensor> predictions{at::ones({2, 3}), at::zeros({2, 3})};
  const std::vector<at::Tensor> targets{at::zeros({2, 3}), at::full({2, 3}, 2)};
  const std::vector<Normalisation> spaces{{at::full({3}, 7), at::full({3}, 3)},
                                          {at::full({3}, 0), at::full({3}, 0.5)}};
  EXPECT_NEAR(reconstruction_loss(predictions, targets, spaces).item<double>(), 9 + 1, 1e-5);
}

TEST(Loss, SparsityGrowsLinearlyAndSumsOverTokens) {
  Config config;
  config.sparsity_lambda = 0.5;
  config.sparsity_c = 2;
  config.steps = 10;
  const std::vector<at::Tensor> activations{at::full({4, 1}, 0.25)}, norms{at::full({1}, 3)};
  EXPECT_EQ(sparsity_penalty(activations, norms, config, 0).item<double>(), 0);
  EXPECT_NEAR(sparsity_penalty(activations, norms, config, 4).item<double>(),
              0.5 * 0.4 * 4 * std::tanh(1.5), 1e-5);
}

TEST(Loss, PreactivationIsTheMeanOfNegativeParts) {
  const std::vector<at::Tensor> preactivations{at::full({2, 2}, -3), at::full({2, 2}, 5)};
  EXPECT_NEAR(preactivation_loss(preactivations, 0.1).item<double>(), 0.1 * 12 / 8, 1e-6);
}

}  // namespace
}  // namespace stepscope::clt
