// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(SummarySteps, OneSteadyStepIsCountedAndSaid) {
  SimpleSteps s;
  s.step(500, false);
  s.step(100);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.counted, std::vector<std::uint32_t>{1});
  EXPECT_THAT(sum.counting, HasSubstr("only one steady step"));
}

TEST(SummarySteps, WithoutASteadyStepWarmUpIsCountedAndSaid) {
  SimpleSteps s;
  s.step(500, false);
  s.step(100, false);
  s.steps.list.back().wall_known = false;
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.wall_ns_total, 500);
  EXPECT_THAT(sum.counting, HasSubstr("no steady step"));
}

TEST(SummarySteps, WithoutAnyCompleteStepTheTimesAreLowerBounds) {
  SimpleSteps s;
  s.step(500, false);
  s.steps.list.back().wall_known = false;
  EXPECT_THAT(s.sum().counting, HasSubstr("lower bounds"));
}

SimpleSteps loop_with_outliers(bool steady) {
  SimpleSteps s;
  for (const std::int64_t wall : {500, 100, 100, 300, 100, 700}) {
    const bool outlier = wall > 100 && !s.steps.list.empty();
    s.step(wall, steady && wall == 100);
    if (outlier) s.steps.list.back().outlier_ratio = static_cast<double>(wall) / 100;
  }
  return s;
}

TEST(SummarySteps, WhatOutliersHoldOfTheLoopIsSummed) {
  const Outliers outliers = loop_with_outliers(true).sum().outliers;
  EXPECT_EQ(outliers.steps, 2U);
  EXPECT_EQ(outliers.wall_ns_total, 1'000);
  EXPECT_EQ(outliers.lowest_ratio, 3);
  EXPECT_EQ(outliers.highest_ratio, 7);
  EXPECT_DOUBLE_EQ(outliers.share, 1'000.0 / 1'300);
  EXPECT_DOUBLE_EQ(outliers.wall_ns_per_step_all, 1'300.0 / 5);
  EXPECT_TRUE(outliers.matter());
}

TEST(SummarySteps, OutliersThatAreCountedAreNotLeftOut) {
  const Outliers outliers = loop_with_outliers(false).sum().outliers;
  EXPECT_EQ(outliers.steps, 0U);
  EXPECT_EQ(outliers.share, 0);
}

}  // namespace
}  // namespace stepscope
