// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/adam.hpp"

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

}  // namespace
}  // namespace stepscope::trainers
