// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/device_health.hpp"

#include <gmock/gmock.h>

#include "tests/core/device_health/sampled_loop.hpp"

namespace stepscope {
namespace {

using enum DeviceCounter;

DeviceHealth only(SampledLoop& loop, std::vector<std::uint32_t> rows) {
  const auto all = device_health(loop.make.build(), loop.steps, rows);
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? DeviceHealth{} : all.front();
}

TEST(DeviceHealth, ClocksAreThoseOfTheCountedStepsAndTheHighestThatOfTheRun) {
  SampledLoop loop;
  for (const double clock : {1980.0, 1500.0, 1410.0, 1755.0}) {
    loop.step();
    loop.sample_here(sm_clock_mhz, clock);
  }
  const DeviceHealth health = only(loop, {1, 2, 3});
  EXPECT_EQ(health.samples, 3U);
  ASSERT_TRUE(health.sm_clock_mhz);
  EXPECT_EQ(health.sm_clock_mhz->median, 1500);
  EXPECT_EQ(health.sm_clock_mhz->lowest, 1410);
  EXPECT_EQ(health.sm_clock_mhz->highest, 1755);
  EXPECT_EQ(health.sm_clock_mhz->highest_seen, 1980);
}

TEST(DeviceHealth, ReasonsAreSharesOfTheSamplesLargestFirst) {
  SampledLoop loop;
  for (const double mask : {4.0, 4.0 + 0x20, 4.0, 0.0, 1.0}) {
    loop.step();
    loop.sample_here(throttle_reasons, mask);
  }
  const auto reasons = only(loop, loop.all_rows()).reasons;
  ASSERT_EQ(reasons.size(), 3U);
  EXPECT_EQ(reasons[0].id, "power_cap");
  EXPECT_DOUBLE_EQ(reasons[0].share, 0.6);
  EXPECT_EQ(reasons[1].id, "idle");
  EXPECT_EQ(reasons[2].id, "thermal");
  EXPECT_DOUBLE_EQ(reasons[2].share, 0.2);
}

TEST(DeviceHealth, ANumberThatIsNoMaskHoldsNoReason) {
  SampledLoop loop;
  for (const double mask : {-1.0, -5.0, 1e30}) {
    loop.step();
    loop.sample_here(throttle_reasons, mask);
  }
  EXPECT_TRUE(only(loop, loop.all_rows()).reasons.empty());
}

TEST(DeviceHealth, OtherProcessesAreTheMostOfTheCountedSteps) {
  SampledLoop loop;
  for (const double others : {5.0, 0.0, 2.0, 1.0}) {
    loop.step();
    loop.sample_here(other_processes, others);
  }
  EXPECT_EQ(only(loop, {1, 2, 3}).other_processes, 2.0);
}

TEST(DeviceHealth, PowerIsTheMeanHeatTheHighestMemoryThePeakOfTheRun) {
  SampledLoop loop;
  for (int i = 0; i < 4; ++i) {
    loop.step();
    loop.sample_here(power_mw, 500'000 + 100'000 * i);
    loop.sample_here(temperature_celsius, 60 + i % 3);
    loop.sample_here(memory_used_bytes, i == 0 ? 9e9 : 8e9);
  }
  const DeviceHealth health = only(loop, {1, 2, 3});
  EXPECT_DOUBLE_EQ(health.mean_power_w.value_or(0), 700);
  EXPECT_EQ(health.highest_temperature_celsius.value_or(0), 62);
  EXPECT_EQ(health.memory_peak_bytes.value_or(0), 9e9);
  EXPECT_FALSE(health.process_memory_peak_bytes);
  EXPECT_FALSE(health.sm_clock_mhz);
  EXPECT_EQ(health.memory_growth.trend, MemoryTrend::not_enough_samples);
}

TEST(DeviceHealth, TheProcessesOwnMemoryDecidesWhereItIsKnownWellEnough) {
  for (const int own : {4, 20}) {
    SampledLoop loop;
    for (int i = 0; i < 20; ++i) {
      loop.step();
      loop.sample_here(memory_used_bytes, 30e9 + 100e6 * i);  // another process grows
      if (i < own) loop.sample_here(process_memory_bytes, 20e9);
    }
    const DeviceHealth health = only(loop, loop.all_rows());
    EXPECT_EQ(health.memory_growth.trend, own == 20 ? MemoryTrend::flat : MemoryTrend::growing);
    EXPECT_EQ(health.process_memory_peak_bytes.value_or(0), 20e9);
  }
}

TEST(DeviceHealth, NvlinkIsTheDifferenceOverTheTime) {
  SampledLoop loop;
  for (int i = 0; i < 5; ++i) {
    loop.step();
    loop.sample_here(nvlink_sent_bytes, 1e12 + 2000.0 * i);
    loop.sample_here(nvlink_received_bytes, i == 3 ? 0 : 1e12);  // began anew
  }
  const DeviceHealth health = only(loop, {1, 2, 3, 4});
  EXPECT_NEAR(health.nvlink_sent_bytes_per_second.value_or(0), 2000 / 1e-3, 1e-6);
  EXPECT_FALSE(health.nvlink_received_bytes_per_second);
}

TEST(DeviceHealth, WithoutASampleInACountedStepThereIsNothingToSay) {
  SampledLoop loop;
  loop.step();
  loop.sample_here(sm_clock_mhz, 1755);
  loop.step();
  const Trace trace = loop.make.build();
  EXPECT_TRUE(device_health(trace, loop.steps, {1}).empty());
  EXPECT_EQ(device_health(trace, loop.steps, {0}).size(), 1U);
  EXPECT_TRUE(device_health(trace, loop.steps, {}).empty());
}

TEST(DeviceHealth, SlowStepsAreTakenFromTheClock) {
  SampledLoop loop;
  for (int i = 0; i < 40; ++i) {
    const bool slow = i % 4 == 0;
    loop.step(slow ? 1'100'000 : 1'000'000);
    loop.sample_here(sm_clock_mhz, slow ? 1600 : 1760);
  }
  const DeviceHealth health = only(loop, loop.all_rows());
  ASSERT_TRUE(health.slow_steps);
  EXPECT_NEAR(health.slow_steps->clock_ratio, 0.909, 0.001);
}

}  // namespace
}  // namespace stepscope
