// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/fused_adam/adam_settings.hpp"

namespace stepscope::kernels {
namespace {

TEST(AdamFactors, PowersAreExactToRounding) {
  EXPECT_EQ(integer_power(0.5, 0), 1);
  EXPECT_EQ(integer_power(0.5, 10), 1.0 / 1024);
  for (const std::int64_t step : {1, 2, 3, 17, 1000, 99999})
    EXPECT_NEAR(integer_power(0.999, step) / std::pow(0.999, static_cast<double>(step)), 1, 1e-11)
        << step;
  EXPECT_EQ(integer_power(0.9, std::int64_t{1} << 40), 0) << "underflows, as it should";
}

TEST(AdamFactors, CorrectTheMomentsOfTheStep) {
  AdamSettings settings;
  settings.learning_rate = 0.25;
  settings.beta1 = 0.5;
  settings.beta2 = 0.75;
  const AdamFactors first = adam_factors(settings, 1);
  EXPECT_EQ(first.step_size, 0.5F);
  EXPECT_EQ(first.second_scale, 2.0F);
  EXPECT_EQ(first.to_first, 0.5F);
  EXPECT_EQ(first.to_second, 0.25F);
  EXPECT_EQ(first.beta2, 0.75F);
  const AdamFactors late = adam_factors(settings, 1000000);
  EXPECT_EQ(late.step_size, 0.25F);
  EXPECT_EQ(late.second_scale, 1.0F);
}

TEST(AdamFactors, DecayActsInOnePlace) {
  AdamSettings settings;
  settings.learning_rate = 0.5;
  settings.weight_decay = 0.25;
  EXPECT_EQ(adam_factors(settings, 1).gradient_decay, 0.25F);
  EXPECT_EQ(adam_factors(settings, 1).shrink, 1.0F);
  settings.decay = WeightDecay::decoupled;
  EXPECT_EQ(adam_factors(settings, 1).gradient_decay, 0.0F);
  EXPECT_EQ(adam_factors(settings, 1).shrink, 0.875F);
}

}  // namespace
}  // namespace stepscope::kernels
