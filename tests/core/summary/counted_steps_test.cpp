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

// However long: the sum is the loop's wall time after warm-up.
TEST(SummarySteps, NoTimeAfterWarmUpLeavesTheHeadline) {
  SimpleSteps s;
  s.step(500, false);
  for (int i = 0; i < 20; ++i) s.step(i % 5 == 2 ? 30'000 : 100);
  const Summary sum = s.sum();
  const std::int64_t loop = s.steps.list.back().window.end - s.steps.list.front().window.end;
  EXPECT_EQ(sum.partition.wall_ns_total, loop);
  EXPECT_EQ(sum.partition.steps_counted, 20U);
}

// Over before the work of the one before it: three steps ran in 200 ns, not two.
TEST(SummarySteps, AStepWithoutTimeOfItsOwnCountsBetweenOthers) {
  SimpleSteps s;
  s.step(500, false);
  s.step(100);
  s.step(0);
  s.step(100);
  s.step(0);
  const Summary sum = s.sum();
  EXPECT_EQ(sum.counted, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(sum.partition.wall_ns_total, 200);
}

TEST(SummarySteps, AWholeTraceThatIsCutSaysThatItsTimeIsALowerBound) {
  SimpleSteps s;
  s.steps.found_by = FoundBy::whole_trace;
  s.step(500, false);
  s.steps.list.back().wall_known = false;
  EXPECT_THAT(s.sum().counting, AllOf(HasSubstr("one window"), HasSubstr("lower bounds")));
}

}  // namespace
}  // namespace stepscope
