// SPDX-License-Identifier: Apache-2.0
// Where warm-up ends, and that every complete step after it counts.
#include "core/steps/unusual/warm_up.hpp"

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

TEST(WarmUp, TheFirstStepNeverIs) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) step(loop, i);
  const Steps steps = found(loop);
  EXPECT_FALSE(steps.list[0].steady);
  EXPECT_EQ(steps.list[0].why_not_steady, "first step");
  EXPECT_EQ(steps.steady_count(), 5U);
}

TEST(WarmUp, WarmUpEndsWhereTheLaterLevelBegins) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) step(loop, i, i < 4 ? 300'000 / (i + 1) : 0);
  const Steps steps = found(loop);
  for (std::size_t k = 1; k < 4; ++k)
    EXPECT_THAT(steps.list[k].why_not_steady, HasSubstr("warm-up")) << k;
  EXPECT_EQ(steps.steady_count(), 16U);
}

TEST(WarmUp, CompilationAtTheBeginningIsNamed) {
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

TEST(WarmUp, ModulesLoadedInMidRunAreSaid) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    if (i == 11) loop.make.call("cuModuleLoadData", 1, loop.now + 100, loop.now + 190'000);
    step(loop, i, i == 11 ? 200'000 : 0);
  }
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[11].steady);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("modules are loaded or compiled (step 11)")));
}

TEST(WarmUp, ALongStepWithoutAnExplanationCounts) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) step(loop, i, i == 11 ? 200'000 : 0);
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[11].steady);
  EXPECT_EQ(steps.steady_count(), 19U);
}

// 300 ms every 5th step, first in step 1 or 3: nothing but the first step leaves the headline.
TEST(WarmUp, PeriodicPausesDoNotExtendIt) {
  for (const int first : {1, 2, 3}) {
    LoopMaker loop;
    for (int i = 0; i < 37; ++i) step(loop, i, i % 5 == first ? 300'000'000 : 0);
    const Steps steps = found(loop);
    EXPECT_EQ(steps.warm_up.steps, 1U) << first;
    EXPECT_EQ(steps.steady_count(), 36U);
    EXPECT_THAT(steps.notes, Contains(HasSubstr("return at even distances")));
  }
}

TEST(WarmUp, PausesNowAndThenDoNotExtendIt) {
  LoopMaker loop;
  for (int i = 0; i < 100; ++i) {
    const bool pauses = i == 1 || i == 2 || (i * 7919) % 13 == 4;
    step(loop, i, 2'750'000 + (pauses ? 400'000'000 + i * 1'000'000 : 0));
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.warm_up.steps, 1U);
  EXPECT_THAT(steps.warm_up.why, HasSubstr("later steps are as slow"));
  EXPECT_EQ(steps.steady_count(), 99U);
}

// One pause in a long run says nothing of steps that are slow at its beginning.
TEST(WarmUp, OnePauseLaterDoesNotEndIt) {
  LoopMaker loop;
  for (int i = 0; i < 100; ++i) step(loop, i, i < 4 || i == 80 ? 400'000 : 0);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.warm_up.steps, 4U);
  EXPECT_TRUE(steps.list[80].steady);
}

TEST(WarmUp, SlowForLongerIsHowTheLoopRuns) {
  LoopMaker loop;
  for (int i = 0; i < 60; ++i) step(loop, i, i < 25 ? 400'000 : 0);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.warm_up.steps, 7U);
  EXPECT_THAT(steps.warm_up.why, HasSubstr("how the loop runs"));
}

TEST(WarmUp, IsToldWithItsTimeAndWhatEndsIt) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    if (i == 1) loop.make.call("cuModuleLoadData", 1, loop.now + 100, loop.now + 90'000);
    step(loop, i, i < 3 ? 400'000 : 0);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.warm_up.steps, 3U);
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += steps.list[k].wall_ns();
  EXPECT_EQ(steps.warm_up.wall_ns, sum);
  EXPECT_THAT(steps.warm_up.why, HasSubstr("1 compiles or loads modules, 1 is slow"));
  EXPECT_THAT(steps.warm_up.why, HasSubstr("step 3 takes 1.0"));
  EXPECT_THAT(steps.warm_up.why, HasSubstr("ends it"));
}

TEST(WarmUp, CompilationInStepSevenCountsAndHasItsCost) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    if (i == 7) {  // one range in another: their time is counted once
      loop.make.range(HostKind::user_scope, "compile_fx", 1, loop.now, loop.now + 150'000);
      loop.make.range(HostKind::user_scope, "compile_inner", 1, loop.now + 10, loop.now + 9'000);
    }
    step(loop, i, i == 7 ? 200'000 : 0);
  }
  const Steps steps = found(loop);
  EXPECT_TRUE(steps.list[7].steady);
  EXPECT_EQ(steps.list[7].compile_ns, 150'000);
  EXPECT_EQ(steps.list[6].compile_ns, 0);
}

TEST(WarmUp, JitterIsCounted) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) step(loop, i, (i * 104'729) % 25'000);
  EXPECT_EQ(found(loop).steady_count(), 39U);
}

TEST(WarmUp, AnEvaluationStaysEvenIfThereIsOnlyOne) {
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

TEST(WarmUp, MoreWorkExplainsALongStep) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    step(loop, i);
    if (i == 7 || i == 14) loop.eval_ops(30);
  }
  EXPECT_EQ(found(loop).steady_count(), 19U);
}

TEST(WarmUp, LongStepsAtEvenDistancesArePeriodicWork) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) step(loop, i, i % 8 == 5 ? 300'000 : 0);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.steady_count(), 29U);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("even distances")));
}

TEST(WarmUp, TwoStepsLeaveTheSecond) {
  LoopMaker loop;
  step(loop, 0);
  step(loop, 1);
  const Steps steps = found(loop);
  EXPECT_EQ(steps.steady_count(), 1U);
  EXPECT_TRUE(steps.list[1].steady);
}

TEST(WarmUp, EveryStepSetAsideSaysWhy) {
  LoopMaker loop;
  for (int i = 0; i < 60; ++i) step(loop, i, i < 5 || i % 17 == 16 ? 200'000 + i * 1'000 : 0);
  for (const Step& s : found(loop).list) EXPECT_EQ(s.steady, s.why_not_steady.empty());
}

}  // namespace
}  // namespace stepscope
