// SPDX-License-Identifier: Apache-2.0
// Where the steps of a noted loop begin and end, and which of its iterations are none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"
#include "tests/core/steps/nest_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

// What the last item of an enumerate frees may make a record behind the count of the next one.
TEST(StepBounds, AnIterationThatIsCountedEarlyIsOne) {
  const auto steps_of = [](bool counts_early) {
    NestMaker run;
    run.counts_early = counts_early;
    run.loop(
        10, 12, [&](int) { run.train(); }, 0, true);
    return found(run);
  };
  const Steps steps = steps_of(true), plain = steps_of(false);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.how, plain.how);
  for (std::size_t i = 1; i < steps.list.size(); ++i)
    EXPECT_EQ(steps.list[i].window.begin, steps.list[i - 1].window.end);
  EXPECT_EQ(steps.list[1].window.length(), steps.list[2].window.length());
}

TEST(StepBounds, TheLoopsEndIsInNoStep) {
  NestMaker run;
  run.loop(
      10, 8, [&](int) { run.train(); }, 0, true);
  const std::int64_t end = run.now;
  run.op("aten::save", 1'000'000);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 8U);
  EXPECT_LT(steps.list.back().window.end, end - 1'000);
}

// Python's work behind an iteration's last record lies in the window of the next step. The last
// iteration has no next one, so its work there lies in no window, whatever samples show of it.
TEST(StepBounds, TheLastStepEndsWithItsLastRecordAsAllOthersDo) {
  NestMaker run;
  const std::int64_t pause = 20'000'000;
  run.loop(10, 12, [&](int) {
    run.train();
    run.sample(60, run.now + pause / 2);
    run.now += pause;
  });
  run.now += pause;
  run.sample(90, run.now);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_EQ(steps.list.back().window.length(), steps.list[5].window.length());
}

// After a `break` nothing may be recorded until the interpreter ends: its own call has no line of Python.
TEST(StepBounds, TheEndOfTheProgramIsNoPartOfTheLastStep) {
  const auto last_step = [](const std::string& at_exit) {
    NestMaker run;
    run.loop(10, 12, [&](int) { run.train(); });
    run.now += 10'000'000'000;
    run.op(at_exit, 5'000);
    run.make.data.host_ranges.site.resize(run.make.data.host_ranges.size(), kNone);
    return found(run).list.back().window.length();
  };
  EXPECT_LT(last_step("cudaEventRecord"), 1'000'000);
  // Iterations make this one without a line, too, so it may be of the last one.
  EXPECT_GT(last_step("aten::loss_net"), 10'000'000'000);
}

TEST(StepBounds, WhatAnEpochDoesBehindItsLastBatchIsThatStepsAlsoInTheLastEpoch) {
  NestMaker run;
  std::vector<std::int64_t> ends;
  run.loop(10, 3, [&](int) {
    run.loop(
        12, 5, [&](int) { run.train(); }, 0, true);
    run.leave();
    run.op("aten::evaluate", 70'000);
    ends.push_back(run.now);
  });
  run.leave();
  run.op("aten::save", 1'000'000);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 15U);
  for (std::size_t epoch = 0; epoch < 3; ++epoch)
    EXPECT_EQ(steps.list[5 * epoch + 4].host.end, ends[epoch]);
}

TEST(StepBounds, SetUpIsInNone) {
  NestMaker run;
  run.loop(3, 200, [&](int) { run.op("aten::sort", 5'000); });
  run.loop(10, 8, [&](int) { run.train(); });
  EXPECT_EQ(found(run).list.size(), 8U);
}

TEST(StepBounds, AStepEndsWhereItsLoopComesRound) {
  NestMaker run;
  std::vector<std::int64_t> ends;
  run.loop(10, 6, [&](int) {
    run.train();
    run.op("aten::item", 50'000);
    ends.push_back(run.now);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 6U);
  for (std::size_t i = 0; i < ends.size(); ++i) EXPECT_EQ(steps.list[i].host.end, ends[i]);
}

TEST(StepBounds, AnIterationThatSkipsItsOptimizerIsAStep) {
  NestMaker run;
  run.loop(10, 12, [&](int i) { i == 5 ? run.train_ops() : run.train(); });
  EXPECT_EQ(found(run).list.size(), 12U);
}

TEST(StepBounds, AVisitInWhichNothingTrainsBelongsToTheStepBefore) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(11, 2, [&](int split) {
      run.loop(12, split == 0 ? 6 : 4, [&](int) {
        if (split == 0)
          run.train();
        else
          run.op("aten::test", 200'000);
      });
    });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 18U);
  EXPECT_THAT(steps.how, HasSubstr("12 more, in which nothing trains"));
  EXPECT_GE(steps.list[5].window.length(), 4 * 200'000);
}

// A `while` whose body asks the iterator, and begins it again where that ends (Ignite's engine).
TEST(StepBounds, AnIterationThatOnlyBeginsTheLoaderAgainIsNoStep) {
  NestMaker run;
  run.loop(10, 26, [&](int i) {
    run.fetch();
    if (i % 9 == 8)
      run.op("aten::random_");
    else
      run.train("critic", 20), run.train("generator", 30);
  });
  EXPECT_EQ(found(run).list.size(), 24U);
}

// `while True: try: batch = next(it) except StopIteration: break`, and an evaluation behind each epoch.
TEST(StepBounds, ARequestThatEndsItsLoopIsNoStepWhateverTheEpochDoesBehindIt) {
  NestMaker run;
  run.loop(8, 3, [&](int) {
    run.loop(10, 9, [&](int i) {
      run.fetch();
      if (i < 8) run.train();
    });
    run.leave(), run.eval_ops(5);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 24U);
  EXPECT_GT(steps.list[7].window.length(), 2 * steps.list[6].window.length()) << "the evaluation";
}

// A batch without a gradient step (an overflow, a loss that is not finite) is one all the same.
TEST(StepBounds, AnIterationThatComputesWithoutTrainingIsAStep) {
  NestMaker run;
  run.loop(10, 26, [&](int i) {
    run.fetch();
    if (i % 9 == 8)
      for (int k = 0; k < 6; ++k) run.op("aten::mm");
    else
      run.train();
  });
  EXPECT_EQ(found(run).list.size(), 26U);
}

// An interrupt, or an error, amid the last iteration.
TEST(StepBounds, AnIterationThatDidNotEndHasNoWallTime) {
  NestMaker run;
  run.loop(10, 12, [&](int i) {
    run.train("critic", 20);
    if (i < 11) run.train("generator", 30);
  });
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 12U);
  EXPECT_FALSE(steps.list.back().wall_known);
  EXPECT_TRUE(steps.list[10].wall_known);
}

// A GAN's first iteration, in which the program fails behind both updates.
TEST(StepBounds, OptimizersOfOneIterationThatDoesNotEndAreNoSteps) {
  NestMaker run;
  run.make.data.processes.back().facts["loop_positions"] = "noted";
  run.loop(10, 1, [&](int) { run.train("critic", 20), run.train("generator", 30); });
  EXPECT_EQ(found(run).found_by, FoundBy::whole_trace);
}

}  // namespace
}  // namespace stepscope
