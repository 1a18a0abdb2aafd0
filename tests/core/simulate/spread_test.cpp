// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepscope {
namespace {

TEST(Spread, NinetyPercentIsStudentsOfTheNumberOfSteps) {
  // Student's t at 95 %, by table, times the root of two: the difference of two means.
  EXPECT_NEAR(ninety_percent(11), std::sqrt(2.0) * 1.812, 0.01);
  EXPECT_NEAR(ninety_percent(101), std::sqrt(2.0) * 1.660, 0.01);
  EXPECT_GT(ninety_percent(3), ninety_percent(4));
}

TEST(Spread, TheErrorOfAMeanNeedsTwoValues) {
  EXPECT_EQ(standard_error({}), 0);
  EXPECT_EQ(standard_error({5}), 0);
  EXPECT_DOUBLE_EQ(standard_error({1, 3}), 1);  // deviation of sqrt(2), by sqrt(2)
  EXPECT_EQ(standard_error({4, 4, 4}), 0);
}

TEST(Spread, WhatFollowsFromTheLengthOfAStepIsNoError) {
  WeightedLine line;
  for (const double x : {1.0, 1.1, 1.2, 100.0}) line.add({x, 0.1 + 0.5 * x, x > 2 ? 1.0 : 20.0});
  EXPECT_NEAR(line.error_of_sum(), 0, 1e-9);
}

TEST(Spread, TheErrorOfASumIsOfWhatTheSampleStandsFor) {
  WeightedLine one, ten;
  for (const double y : {1.0, 3.0, 1.0, 3.0}) {
    one.add({.x = 5, .y = y});
    ten.add({.x = 5, .y = y, .weight = 10});
  }
  EXPECT_DOUBLE_EQ(one.error_of_sum(), 4 * standard_error({1, 3, 1, 3}));
  EXPECT_DOUBLE_EQ(ten.error_of_sum(), 10 * one.error_of_sum());
}

}  // namespace
}  // namespace stepscope
