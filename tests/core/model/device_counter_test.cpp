// SPDX-License-Identifier: Apache-2.0
#include "core/model/device_counter.hpp"

#include <gtest/gtest.h>

#include <set>

namespace stepscope {
namespace {

TEST(DeviceCounter, EveryTrackIsReadBackAsWhatItWas) {
  for (std::size_t i = 0; i < kDeviceCounters; ++i) {
    const auto counter = static_cast<DeviceCounter>(i);
    const auto read = parse_device_track(device_track(12, counter));
    ASSERT_TRUE(read) << name_of(counter);
    EXPECT_EQ(read->device, 12U);
    EXPECT_EQ(read->counter, counter);
  }
  EXPECT_EQ(device_track(0, DeviceCounter::power_mw), "gpu.0.power_mw");
}

TEST(DeviceCounter, OtherTracksAreNotTaken) {
  for (const char* track :
       {"", "gpu.", "gpu.0", "gpu.0.", "gpu.x.power_mw", "gpu.0.power", "gpu.0.power_mw.",
        "gpu.-1.power_mw", "gpu.99999999999.power_mw", "thread_cpu.7", "gpu.0_power_mw"})
    EXPECT_FALSE(parse_device_track(track)) << track;
}

TEST(DeviceCounter, ReasonsAreOneBitEachAndNamedOnce) {
  std::uint64_t bits = 0;
  std::set<std::string_view> ids;
  for (const ClockReason& reason : kClockReasons) {
    EXPECT_EQ(reason.bit & (reason.bit - 1), 0U) << reason.id;
    EXPECT_EQ(bits & reason.bit, 0U) << reason.id;
    bits |= reason.bit;
    EXPECT_TRUE(ids.insert(reason.id).second) << reason.id;
  }
  EXPECT_EQ(bits, 0x1ffU);
}

}  // namespace
}  // namespace stepscope
