// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/finders/finders.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

// An optimizer that evaluates its closure so often in a step.
void step(LoopMaker& loop, int calls) {
  loop.range("Optimizer.step#LBFGS.step", [&] {
    for (int call = 0; call < calls; ++call) {
      loop.zero_grad("LBFGS"), loop.train_ops();
      loop.op("aten::dot");
    }
  });
}

TEST(ClosureCalls, AreTheStepsWhereTheOptimizerStepsOnce) {
  LoopMaker loop;
  loop.op("aten::init", 10'000);
  step(loop, 12);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 12U);
  EXPECT_THAT(steps.how, HasSubstr("12 calls of the closure"));
}

TEST(ClosureCalls, AreAnotherDivisionOfSeveralSteps) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) step(loop, 5);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 6U);
  ASSERT_EQ(steps.sections.size(), 1U);
  ASSERT_EQ(steps.sections[0].divisions.size(), 2U);
  EXPECT_EQ(steps.sections[0].divisions[1].steps, 30U);
}

// As a trainer passes the whole of its step.
TEST(ClosureCalls, OneInEachStepIsTheStep) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) step(loop, 1);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 6U);
  ASSERT_EQ(steps.sections.size(), 1U);
  EXPECT_EQ(steps.sections[0].divisions.size(), 1U);
}

}  // namespace
}  // namespace stepscope
