// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/memory_growth.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace stepscope {
namespace {

constexpr double kMiB = 1U << 20U;

std::vector<StepSample> samples(std::uint32_t steps, const std::function<double(double)>& bytes) {
  std::vector<StepSample> out;
  for (std::uint32_t row = 0; row < steps; ++row) out.push_back({row, 60e9 + bytes(row)});
  return out;
}

TEST(MemoryGrowth, AStraightRiseIsItsBytesAStep) {
  const MemoryGrowth growth = memory_growth(samples(40, [](double row) { return row * kMiB; }));
  EXPECT_EQ(growth.trend, MemoryTrend::growing);
  ASSERT_TRUE(growth.bytes_per_step);
  EXPECT_NEAR(*growth.bytes_per_step, kMiB, 1);
}

TEST(MemoryGrowth, AFallShrinks) {
  const MemoryGrowth growth = memory_growth(samples(40, [](double row) { return -row * kMiB; }));
  EXPECT_EQ(growth.trend, MemoryTrend::shrinking);
  EXPECT_NEAR(growth.bytes_per_step.value_or(0), -kMiB, 1);
}

TEST(MemoryGrowth, AJumpIsNoTrend) {
  for (int at = 1; at < 40; ++at) {
    const auto jump = [at](double row) { return row < at ? 0 : 500 * kMiB; };
    EXPECT_EQ(memory_growth(samples(40, jump)).trend, MemoryTrend::flat) << at;
  }
}

TEST(MemoryGrowth, NoiseIsNoTrend) {
  int trends = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 50 * kMiB);
    const auto growth = memory_growth(samples(40, [&](double) { return noise(random); }));
    trends += growth.trend == MemoryTrend::flat ? 0 : 1;
  }
  EXPECT_LE(trends, 1);
}

TEST(MemoryGrowth, ARiseIsSeenThroughNoise) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 10 * kMiB);
  const auto growth =
      memory_growth(samples(60, [&](double row) { return 2 * kMiB * row + noise(random); }));
  EXPECT_EQ(growth.trend, MemoryTrend::growing);
  EXPECT_NEAR(growth.bytes_per_step.value_or(0), 2 * kMiB, 0.5 * kMiB);
}

TEST(MemoryGrowth, LessThanTwoPagesIsNoTrend) {
  EXPECT_EQ(memory_growth(samples(40, [](double row) { return row * 1000; })).trend,
            MemoryTrend::flat);
}

TEST(MemoryGrowth, TooFewSamplesOrStepsSaySo) {
  const auto rise = [](double row) { return row * 100 * kMiB; };
  EXPECT_EQ(memory_growth({}).trend, MemoryTrend::not_enough_samples);
  EXPECT_EQ(memory_growth(samples(7, rise)).trend, MemoryTrend::not_enough_samples);
  EXPECT_EQ(memory_growth(samples(8, rise)).trend, MemoryTrend::growing);
  std::vector<StepSample> of_three = samples(12, rise);
  for (StepSample& sample : of_three) sample.row /= 4;
  EXPECT_EQ(memory_growth(of_three).trend, MemoryTrend::not_enough_samples);
}

}  // namespace
}  // namespace stepscope
