// SPDX-License-Identifier: Apache-2.0
// Which steps stand for the run, and why the others do not.
#include "core/steps/steady.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// A step of about 100 us whose only difference is `extra_ns` of host time in which nothing is
// recorded.
void step(LoopMaker& loop, int i, std::int64_t extra_ns = 0) {
  loop.range("step " + std::to_string(i), [&] {
    loop.train_ops();
    loop.now += 80'000 + (i * 7919) % 2'000 + extra_ns;
    loop.op("aten::loss_read");
  });
}

TEST(Steady, TheFirstStepNeverIs) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) step(loop, i);
  const Steps steps = found(loop);
  EXPECT_FALSE(steps.list[0].steady);
  EXPECT_EQ(steps.list[0].why_not_steady, "first step");
  EXPECT_EQ(steps.steady_count(), 5U);
}

TEST(Steady, WarmUpEndsWhereTheLaterLevelBegins) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) step(loop, i, i < 4 ? 300'000 / (i + 1) : 0);
  const Steps steps = found(loop);
  for (std::size_t k = 1; k < 4; ++k)
    EXPECT_THAT(steps.list[k].why_not_steady, HasSubstr("warm-up")) << k;
  EXPECT_EQ(steps.steady_count(), 16U);
}

TEST(Steady, CompilationAtTheBeginningIsNamed) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    if (i == 1 || i == 2) {
      loop.make.call("cuModuleLoadData", 1, loop.now + 100, loop.now + 29'000);
    }
    step(loop, i, i == 1 || i == 2 ? 30'000 : 0);
  }
  const Steps steps = found(loop);
  EXPECT_THAT(steps.list[1].why_not_steady, HasSubstr("compilation or module loads"));
  EXPECT_THAT(steps.list[2].why_not_steady, HasSubstr("compilation or module loads"));
  EXPECT_TRUE(steps.list[3].steady);
}

TEST(Steady, ModulesLoadedInMidRunStayAndAreSaid) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    if (i == 11) loop.make.call("cuModuleLoadData", 1, loop.now + 100, loop.now + 190'000);
    step(loop, i, i == 11 ? 200'000 : 0);
  }
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[11].steady);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("modules are loaded or compiled (step 11)")));
}

TEST(Steady, AnOutlierWithoutAnExplanationIsSetAsideWithItsSize) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) step(loop, i, i == 11 ? 200'000 : 0);
  const Steps steps = found(loop);
  EXPECT_FALSE(steps.list[11].steady);
  EXPECT_THAT(steps.list[11].why_not_steady, HasSubstr("outlier: 3"));
  EXPECT_NEAR(steps.list[11].outlier_ratio, 3, 0.5);
  EXPECT_EQ(steps.list[10].outlier_ratio, 0);
  EXPECT_EQ(steps.steady_count(), 18U);
}

TEST(Steady, JitterIsNoOutlier) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) step(loop, i, (i * 104'729) % 25'000);
  EXPECT_EQ(found(loop).steady_count(), 39U);
}

// Uniform jitter of 25 us: five of its deviations are about 46 us, more than 0.3 of the 110 us
// median.
TEST(Steady, TheSpreadOfTheRunDecidesWhatIsLong) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) {
    std::int64_t extra = (i * 104'729) % 25'000;
    if (i == 20) extra = 12'500 + 40'000;
    if (i == 27) extra = 12'500 + 80'000;
    step(loop, i, extra);
  }
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[20].steady);
  EXPECT_FALSE(steps.list[27].steady);
}

TEST(Steady, AnEvaluationStaysEvenIfThereIsOnlyOne) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    loop.range("step " + std::to_string(i), [&] {
      loop.train_ops();
      loop.now += 80'000;
      if (i == 9) loop.range("eval", [&] { loop.now += 400'000; });
    });
  }
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[9].steady);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("'eval' runs (step 9)")));
}

TEST(Steady, MoreWorkExplainsALongStep) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    step(loop, i);
    if (i == 7 || i == 14) loop.eval_ops(30);
  }
  EXPECT_EQ(found(loop).steady_count(), 19U);
}

TEST(Steady, LongStepsAtEvenDistancesArePeriodicWork) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) step(loop, i, i % 8 == 5 ? 300'000 : 0);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.steady_count(), 29U);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("even distances")));
}

TEST(Steady, LongStepsAtOddDistancesAreOutliers) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) step(loop, i, i == 7 || i == 12 || i == 31 ? 300'000 : 0);
  EXPECT_EQ(found(loop).steady_count(), 36U);
}

TEST(Steady, WhereTooFewAreAlikeAllStay) {
  LoopMaker loop;
  for (int i = 0; i < 7; ++i) step(loop, i, i < 3 ? 900'000 : 0);
  loop.range("step 7", [&] { loop.train_ops(), loop.now += 700'000; });
  loop.range("step 8", [&] { loop.train_ops(), loop.now += 900'000; });
  const Steps steps = found(loop);
  EXPECT_GE(2 * steps.steady_count(), steps.list.size() - 1);
}

TEST(Steady, TwoStepsLeaveTheSecond) {
  LoopMaker loop;
  step(loop, 0);
  step(loop, 1);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.steady_count(), 1U);
  EXPECT_TRUE(steps.list[1].steady);
}

TEST(Steady, EveryStepSetAsideSaysWhy) {
  LoopMaker loop;
  for (int i = 0; i < 60; ++i) step(loop, i, i < 5 || i % 17 == 16 ? 200'000 + i * 1'000 : 0);
  for (const Step& s : found(loop).list) EXPECT_EQ(s.steady, s.why_not_steady.empty());
}

}  // namespace
}  // namespace stepscope
