// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/device_samples.hpp"

#include <gmock/gmock.h>

#include "core/device_health/step_samples.hpp"
#include "tests/core/device_health/sampled_loop.hpp"

namespace stepscope {
namespace {

using testing::ElementsAre;
using enum DeviceCounter;

std::vector<double> values(const std::vector<DeviceSample>& samples) {
  std::vector<double> out;
  for (const DeviceSample& sample : samples) out.push_back(sample.value);
  return out;
}

TEST(DeviceSamples, AreSortedByTimeAndKeptApartByDeviceAndCounter) {
  SampledLoop loop;
  loop.sample(200, sm_clock_mhz, 2);
  loop.sample(100, sm_clock_mhz, 1);
  loop.sample(150, power_mw, 7);
  loop.sample(150, sm_clock_mhz, 9, 1);
  const auto samples = device_samples(loop.make.build(), 0);
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_THAT(values(samples.at(0).of(sm_clock_mhz)), ElementsAre(1, 2));
  EXPECT_THAT(values(samples.at(0).of(power_mw)), ElementsAre(7));
  EXPECT_THAT(values(samples.at(1).of(sm_clock_mhz)), ElementsAre(9));
}

// Rank 0 sees its device as 1 and samples it; rank 1 sees the same device as 0.
TEST(DeviceSamples, ADeviceIsTheSameInTwoProcessesByItsUuid) {
  SampledLoop loop;
  TraceData& data = loop.make.data;
  data.processes.push_back({.pid = 101});
  data.devices = {{.process = 0, .index = 0, .uuid = "GPU-a"},
                  {.process = 0, .index = 1, .uuid = "GPU-b"},
                  {.process = 1, .index = 0, .uuid = "GPU-b"}};
  loop.sample(100, sm_clock_mhz, 1000, 0, 0);
  loop.sample(100, sm_clock_mhz, 2000, 1, 0);
  loop.sample(100, process_memory_bytes, 5, 1, 0);
  const Trace trace = loop.make.build();
  const auto of_rank_1 = device_samples(trace, 1);
  ASSERT_EQ(of_rank_1.size(), 1U);
  EXPECT_THAT(values(of_rank_1.at(0).of(sm_clock_mhz)), ElementsAre(2000));
  EXPECT_TRUE(of_rank_1.at(0).of(process_memory_bytes).empty()) << "that is rank 0's";
  EXPECT_EQ(device_samples(trace, 0).size(), 2U);
}

TEST(DeviceSamples, AnotherProcessesDeviceWithoutUuidIsNotGuessed) {
  SampledLoop loop;
  loop.make.data.processes.push_back({.pid = 101});
  loop.sample(100, sm_clock_mhz, 1000, 0, 1);
  EXPECT_TRUE(device_samples(loop.make.build(), 0).empty());
}

TEST(StepSamples, LieInTheCountedStepWhoseWindowHoldsThem) {
  SampledLoop loop;
  for (int i = 0; i < 4; ++i) loop.step(100);
  const std::vector<std::uint32_t> rows = {0, 2, 3};
  const CountedSteps counted(loop.steps, rows);
  const auto found = counted.of({{-1, 1}, {0, 2}, {99, 3}, {100, 4}, {250, 5}, {399, 6}, {400, 7}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(values_of(found), ElementsAre(2, 3, 5, 6));
  EXPECT_EQ(found[2].row, 2U);
  EXPECT_EQ(found[3].row, 3U);
  EXPECT_EQ(counted.span(), (Interval{0, 400}));
}

}  // namespace
}  // namespace stepscope
