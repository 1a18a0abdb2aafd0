// SPDX-License-Identifier: Apache-2.0
// When a step is long: both bounds decide.
#include "core/steps/unusual/long_rule.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(LongRule, OfASteadyLoopIsAHalfMoreThanTheMedian) {
  const LongRule rule = long_rule({100, 100, 101, 99, 100, 400}, 0);
  EXPECT_EQ(rule.median_ns, 100);
  EXPECT_EQ(rule.limit_ns, 150);
  EXPECT_FALSE(rule.is_long(150));
  EXPECT_TRUE(rule.is_long(151));
  EXPECT_DOUBLE_EQ(rule.times_median(400), 4);
}

// Deviations from 100: 0, 20, 20, 40, 40; their median 20: 100 + 5 * 1.4826 * 20.
TEST(LongRule, OfARoughLoopIsFiveDeviations) {
  EXPECT_EQ(long_rule({60, 80, 100, 120, 140}, 0).limit_ns, 248);
}

// Where samples alone show when a step begins, either of its ends may be off by so much.
TEST(LongRule, AllowsForWhatTheBeginsOfStepsAreUncertainBy) {
  EXPECT_EQ(long_rule({100, 100, 101, 99, 100, 400}, 70).limit_ns, 150 + 2 * 70);
}

TEST(LongRule, OfTwoStepsNeitherIsLong) {
  const LongRule rule = long_rule({1, 1'000}, 0);
  EXPECT_FALSE(rule.is_long(1'000));
}

TEST(LongRule, WithoutStepsNothingIsKnown) {
  EXPECT_EQ(long_rule({}, 0).limit_ns, 0);
}

}  // namespace
}  // namespace stepscope
