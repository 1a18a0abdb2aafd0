// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/selection/dead_features.hpp"

#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

namespace stepscope::clt {
namespace {

Config two_layers() {
  Config config;
  config.layers = 2;
  config.features = 2;
  config.dead_window = 3;
  return config;
}

// Only feature 1 of layer 0 fires, with the given value.
std::vector<at::Tensor> firing(double value) {
  std::vector<at::Tensor> layers{at::zeros({5, 2}), at::zeros({5, 2})};
  layers[0][4][1] = value;
  return layers;
}

TEST(DeadFeatures, DiesAfterMoreThanTheWindow) {
  DeadFeatures dead(two_layers(), at::kCPU);
  for (int step = 0; step < 3; ++step) dead.update(firing(0.5));
  EXPECT_EQ(dead.mask().sum().item<int>(), 0);
  dead.update(firing(0.5));
  EXPECT_EQ(dead.mask().sum().item<int>(), 3);
  EXPECT_FALSE(dead.mask()[0][1].item<bool>());
}

TEST(DeadFeatures, NegativeValuesDoNotFireAndFiringRevives) {
  DeadFeatures dead(two_layers(), at::kCPU);
  for (int step = 0; step < 4; ++step) dead.update(firing(-0.5));
  EXPECT_TRUE(dead.mask()[0][1].item<bool>());
  dead.update(firing(0.5));
  EXPECT_FALSE(dead.mask()[0][1].item<bool>());
}

}  // namespace
}  // namespace stepscope::clt
