// SPDX-License-Identifier: Apache-2.0
// Programs in which nothing trains, or whose loop over the steps was not noted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/core/steps/found.hpp"
#include "tests/core/steps/nest_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

TEST(WithoutTraining, StepsOfALoopThatWasNotNotedAreFoundByTheirOptimizer) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    for (int batch = 0; batch < 20; ++batch) run.train();
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 60U);
}

TEST(WithoutTraining, FetchesServeWhereNothingTrains) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(
        12, 7, [&](int) { run.leave(), run.eval_ops(1); }, 0, true);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.how, "21 iterations of the loop at train.py:12 (f)");
  EXPECT_EQ(steps.sections.front().kind, "loop");
}

// Calls of a model of twenty layers, whose loop is noted as well; and layers alone.
TEST(WithoutTraining, WhereNothingTrainsTheLoopOfThePeriodServes) {
  for (const bool outer_is_noted : {true, false}) {
    NestMaker run;
    const auto call = [&] {
      run.op("aten::embedding");
      run.loop(20, 20, [&](int) {
        for (const char* name : {"aten::mm", "aten::relu", "aten::mul"}) run.op(name);
      });
      run.leave();
      run.op("aten::mean"), run.op("aten::_local_scalar_dense");
    };
    if (outer_is_noted)
      run.loop(10, 12, [&](int) { call(); });
    else
      for (int i = 0; i < 12; ++i) call();
    const Steps steps = found(run);
    EXPECT_EQ(steps.list.size(), 12U) << outer_is_noted;
    EXPECT_EQ(steps.found_by == FoundBy::loop_nest, outer_is_noted);
    if (!outer_is_noted) continue;
    ASSERT_EQ(steps.sections.front().divisions.size(), 2U);
    EXPECT_EQ(steps.sections.front().divisions.back().steps, 240U);
  }
}

// Each of a few epochs prints a number, and nothing else marks a step: the copy of it makes them the period.
TEST(WithoutTraining, AFewRoundsAreDividedIntoTheIterationsThatHaveTheirWork) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    run.loop(12, 30, [&](int) {
      for (const char* op : {"aten::mm", "aten::relu", "aten::mul", "aten::sum"}) run.op(op);
    });
    run.leave(), run.op("aten::item");
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 120U);
  EXPECT_THAT(steps.how, HasSubstr("train.py:12"));
  const std::vector<Division>& divisions = steps.sections.at(0).divisions;
  EXPECT_TRUE(std::ranges::any_of(divisions, [](const Division& one) { return one.steps == 4; }));
}

// A simulation of sixty substeps a frame, which ends with a few statistics at lines of its own in the
// same function, beside a loop that prints in every sixtieth iteration.
TEST(WithoutTraining, AFrameOfSubstepsIsTheStepWhereALoopRunsFrames) {
  for (const bool has_frames : {true, false}) {
    NestMaker run;
    const SiteId substep = run.make.site("train.py", 11), end = run.make.site("train.py", 13);
    const auto op_at = [&](const char* name, SiteId site) {
      run.make.range(HostKind::op, name, 1, run.now, run.now + 1'000, site);
      run.now += 1'000;
    };
    const auto substeps = [&](int) {
      for (const char* name : {"aten::add", "aten::mul", "aten::roll"}) op_at(name, substep);
    };
    const auto statistics = [&] { op_at("aten::mean", end), op_at("aten::max", end); };
    if (has_frames) {
      run.loop(9, 20, [&](int) {
        run.loop(10, 60, substeps);
        run.leave();
        statistics();
      });
    } else {
      run.loop(10, 1200, [&](int i) {
        substeps(i);
        if (i % 60 == 59) statistics();
      });
    }
    EXPECT_EQ(found(run).list.size(), has_frames ? 20U : 1200U);
  }
}

// `functools.reduce(step, batches, state)` in each epoch, and updates that make new tensors.
TEST(WithoutTraining, BackwardPassesOfALoopThatWasNotNotedAreNotOneStepAnEpoch) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    for (int k = 0; k < 30; ++k) run.op("aten::copy"), run.train_ops(), run.backward("Loss_net");
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::periodicity);
  EXPECT_GE(steps.list.size(), 119U);
  EXPECT_LE(steps.list.size(), 121U);
}

TEST(WithoutTraining, WithoutLoopsTheFindersServe) {
  LoopMaker run;
  for (int i = 0; i < 6; ++i) run.zero_grad(), run.train_ops(), run.optimizer();
  EXPECT_EQ(found(run).found_by, FoundBy::optimizer);
}

}  // namespace
}  // namespace stepscope
