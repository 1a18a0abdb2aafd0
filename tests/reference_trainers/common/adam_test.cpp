// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/adam.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace stepscope::trainers {
namespace {

// Adam's first step moves every parameter by the learning rate against its gradient's sign.
TEST(Adam, FirstStepIsTheLearningRate) {
  at::Tensor weight = at::zeros({2}).set_requires_grad(true);
  Adam adam({weight}, 0.1);
  weight.mutable_grad() = at::zeros({2});
  weight.mutable_grad()[0] = 5;
  weight.mutable_grad()[1] = -0.01;
  adam.step();
  EXPECT_NEAR(weight[0].item<double>(), -0.1, 1e-6);
  EXPECT_NEAR(weight[1].item<double>(), 0.1, 1e-6);
}

TEST(Adam, ZeroGradDropsTheGradients) {
  at::Tensor weight = at::zeros({2}).set_requires_grad(true);
  Adam adam({weight}, 0.1);
  weight.sum().backward();
  ASSERT_TRUE(weight.grad().defined());
  adam.zero_grad();
  EXPECT_FALSE(weight.grad().defined());
}

// Two sizes, several steps, gradients of both signs.
TEST(Adam, TheFusedOneDiffersByRoundingAlone) {
  const auto train = [](Adam::Kind kind) {
    std::vector<at::Tensor> weights;
    for (const std::int64_t size : {3, 1000})
      weights.push_back(at::linspace(-1, 1, size).set_requires_grad(true));
    Adam adam(weights, 0.01, kind);
    for (int step = 1; step <= 20; ++step) {
      adam.zero_grad();
      for (const at::Tensor& weight : weights) (weight * weight * step).sum().backward();
      adam.step();
    }
    return at::cat({weights[0].detach(), weights[1].detach()});
  };
  const at::Tensor one = train(Adam::Kind::one_by_one), fused = train(Adam::Kind::fused);
  EXPECT_LT((one - fused).abs().max().item<double>(), 1e-6);
  EXPECT_GT((one - at::cat({at::linspace(-1, 1, 3), at::linspace(-1, 1, 1000)}))
                .abs()
                .max()
                .item<double>(),
            0.1);
}

}  // namespace
}  // namespace stepscope::trainers
