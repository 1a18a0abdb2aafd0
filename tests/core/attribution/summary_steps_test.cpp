// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/attribution/simple_steps.hpp"

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

}  // namespace
}  // namespace stepscope
