// SPDX-License-Identifier: Apache-2.0
// The reference by hand, and against torch 2.11's optimisers in double precision on the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/fused_adam/fused_adam_reference.hpp"

namespace stepscope::kernels {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

TEST(AdamReference, FirstStepIsTheLearningRateAgainstTheSign) {
  HostAdamState state{{1.0, 1.0, 1.0}, {0, 0, 0}, {0, 0, 0}};
  AdamSettings settings;
  settings.learning_rate = 0.5;
  settings.epsilon = 1;
  // Corrected moments are the gradient and its square: 0.5 * g / (|g| + 1).
  adam_reference(state, {3, -1, 0}, settings);
  EXPECT_THAT(state.parameters, Pointwise(DoubleNear(1e-12), {1 - 0.375, 1 + 0.25, 1.0}));
  EXPECT_THAT(state.first_moments, Pointwise(DoubleNear(1e-12), {0.3, -0.1, 0.0}));
  EXPECT_THAT(state.second_moments, Pointwise(DoubleNear(1e-12), {0.009, 0.001, 0.0}));
}

TEST(AdamReference, WithoutAGradientMomentsDecayAndParametersMoveOn) {
  HostAdamState state{{1.0}, {0.2}, {0.04}};
  AdamSettings settings;
  settings.beta1 = 0.5;
  settings.beta2 = 0.75;
  settings.epsilon = 0;
  settings.learning_rate = 0.1;
  settings.step = 2;
  adam_reference(state, {0}, settings);
  EXPECT_DOUBLE_EQ(state.first_moments[0], 0.1);
  EXPECT_DOUBLE_EQ(state.second_moments[0], 0.03);
  EXPECT_NEAR(state.parameters[0], 1 - 0.1 * (0.1 / 0.75) / std::sqrt(0.03 / 0.4375), 1e-12);
}

TEST(AdamReference, LeavesAloneWhatLazyAdamDoes) {
  HostAdamState state{{1.0, 1.0}, {0.2, 0.2}, {0.04, 0.04}};
  adam_reference(state, {0, 0}, {}, {0, 1});
  EXPECT_THAT(state.first_moments, Pointwise(DoubleNear(1e-12), {0.2, 0.18}));
  EXPECT_EQ(state.parameters[0], 1.0);
  EXPECT_NE(state.parameters[1], 1.0);
}

// Three steps from the same start; what torch printed.
struct TorchCase {
  const char* name;
  double weight_decay;
  WeightDecay decay;
  std::vector<double> parameters, first_moments, second_moments;
};

TEST(AdamReference, EqualsTorch) {
  const std::vector<std::vector<double>> gradients{
      {0.1, -0.2, 0.0}, {-0.3, 0.05, 1e-4}, {0.7, 0.0, -2.0}};
  const TorchCase cases[] = {
      {"Adam",
       0.1,
       WeightDecay::added_to_gradient,
       {0.48784625493004724, -1.2236196939228459, 2.984316691617681},
       {0.06448949402563278, -0.04530297290847078, -0.11898099176830687},
       {0.006458661351890774, 0.0012411754792598746, 0.030735789338791952}},
      {"AdamW",
       0.1,
       WeightDecay::decoupled,
       {0.48921499018443715, -1.2279299237187176, 2.9900541101737907},
       {0.051099999999999986, -0.011699999999999999, -0.19999099999999997},
       {0.005889010000000004, 0.00041679000000000043, 0.04000000009900004}},
      {"Adam without decay",
       0,
       WeightDecay::added_to_gradient,
       {0.49069843384383127, -1.2316514810151302, 2.9990377918558067},
       {0.051099999999999986, -0.011699999999999999, -0.19999099999999997},
       {0.005889010000000004, 0.00041679000000000043, 0.04000000009900004}},
  };
  for (const TorchCase& expected : cases) {
    AdamSettings settings{0.01, 0.9, 0.99, 1e-6, expected.weight_decay, expected.decay};
    HostAdamState state{{0.5, -1.25, 3.0}, {0, 0, 0}, {0, 0, 0}};
    for (settings.step = 1; settings.step <= 3; ++settings.step)
      adam_reference(state, gradients[static_cast<std::size_t>(settings.step - 1)], settings);
    EXPECT_THAT(state.parameters, Pointwise(DoubleNear(1e-14), expected.parameters))
        << expected.name;
    EXPECT_THAT(state.first_moments, Pointwise(DoubleNear(1e-14), expected.first_moments))
        << expected.name;
    EXPECT_THAT(state.second_moments, Pointwise(DoubleNear(1e-14), expected.second_moments))
        << expected.name;
  }
}

}  // namespace
}  // namespace stepscope::kernels
