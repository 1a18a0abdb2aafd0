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

}  // namespace
}  // namespace stepscope
