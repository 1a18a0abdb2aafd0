// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/clock.hpp"

#include <gtest/gtest.h>

namespace stepscope::recorder {
namespace {

TEST(TickConverter, FollowsTheClockAndStaysOnLinesBetweenPairs) {
  TickConverter clock(false);
  clock.add({1'000, 5'000'000, 5'000'000, 0});
  EXPECT_TRUE(clock.add({2'000'001'000, 1'005'000'000, 1'005'000'000, 0}));  // 2 ticks a ns
  EXPECT_EQ(clock.to_ns(1'000), 5'000'000);
  EXPECT_EQ(clock.to_ns(1'000'001'000), 505'000'000);
  EXPECT_EQ(clock.to_ns(2'000'003'000), 1'005'001'000);  // beyond the last pair
}

TEST(TickConverter, AClockThatWasSetStartsANewLine) {
  TickConverter clock(false);
  clock.add({0, 0, 0, 0});
  clock.add({1'000'000'000, 1'000'000'000, 1'000'000'000, 0});
  EXPECT_FALSE(clock.add({2'000'000'000, 9'000'000'000, 2'000'000'000, 0}));
  EXPECT_EQ(clock.to_ns(1'500'000'000), 1'500'000'000);
  EXPECT_EQ(clock.to_ns(2'000'000'500), 9'000'000'500);
}

}  // namespace
}  // namespace stepscope::recorder
