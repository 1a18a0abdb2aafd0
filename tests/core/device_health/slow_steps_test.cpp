// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/step_samples.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "tests/core/device_health/sampled_loop.hpp"

namespace stepscope {
namespace {

// Steps of given lengths, a sample in each.
std::optional<SlowSteps> judge(int steps, const std::function<std::int64_t(int)>& length,
                               const std::function<double(int)>& clock) {
  SampledLoop loop;
  std::vector<StepSample> samples;
  for (int i = 0; i < steps; ++i) samples.push_back({loop.step(length(i)), clock(i)});
  const auto rows = loop.all_rows();
  return slow_steps(CountedSteps(loop.steps, rows), samples);
}

constexpr std::int64_t kStep = SampledLoop::kStep;

std::int64_t every_fourth_slow(int i) {
  return i % 4 == 0 ? kStep * 11 / 10 : kStep + i;
}

TEST(SlowSteps, LowerClocksInTheSlowOnesAreTold) {
  const auto slow =
      judge(40, every_fourth_slow, [](int i) { return (i % 4 == 0 ? 1600.0 : 1760.0) + i % 3; });
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->steps, 10U);
  EXPECT_NEAR(slow->clock_ratio, 1600.0 / 1760, 0.002);
}

TEST(SlowSteps, OneClockForAllIsNotTold) {
  EXPECT_FALSE(judge(40, every_fourth_slow, [](int) { return 1755.0; }));
}

TEST(SlowSteps, StepsThatAreNotSlowerAreNotTold) {
  const auto length = [](int i) { return i % 4 == 0 ? kStep * 102 / 100 : kStep; };
  EXPECT_FALSE(judge(40, length, [](int i) { return i % 4 == 0 ? 1600.0 : 1760.0; }));
}

TEST(SlowSteps, ADifferenceUnderTwoPercentIsNotTold) {
  EXPECT_FALSE(judge(40, every_fourth_slow, [](int i) { return i % 4 == 0 ? 1740.0 : 1760.0; }));
}

TEST(SlowSteps, FewerThanSixteenStepsAreNotTold) {
  const auto clock = [](int i) { return i % 4 == 0 ? 1600.0 : 1760.0; };
  EXPECT_FALSE(judge(15, every_fourth_slow, clock));
  EXPECT_TRUE(judge(16, every_fourth_slow, clock));
}

// Clocks that have nothing to do with the step's time.
TEST(SlowSteps, ChanceIsRarelyTold) {
  int told = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> clock(1400, 1980);
    told += judge(40, every_fourth_slow, [&](int) { return clock(random); }) ? 1 : 0;
  }
  EXPECT_LE(told, 8);  // 2.5 standard deviations on both sides: 1.2 %
}

TEST(SlowSteps, SeveralSamplesOfAStepAreOne) {
  SampledLoop loop;
  std::vector<StepSample> samples;
  for (int i = 0; i < 12; ++i) {
    const std::uint32_t row = loop.step(every_fourth_slow(i));
    for (int k = 0; k < 3; ++k) samples.push_back({row, i % 4 == 0 ? 1600.0 : 1760.0});
  }
  const auto rows = loop.all_rows();
  EXPECT_FALSE(slow_steps(CountedSteps(loop.steps, rows), samples)) << "12 steps, not 36";
}

}  // namespace
}  // namespace stepscope
