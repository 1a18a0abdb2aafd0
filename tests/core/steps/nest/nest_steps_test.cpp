// SPDX-License-Identifier: Apache-2.0
#include "core/steps/nest/nest_steps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/nest/loop_nest.hpp"
#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program whose loops are noted as the recorder does.
class NestMaker : public LoopMaker {
 public:
  // Calls body(i) for each iteration. `iterator_fetches`: it is asked once more at the end.
  template <class Body>
  void loop(std::uint32_t line, int times, Body body, std::uint32_t caller = 0,
            bool iterator_fetches = false) {
    const std::size_t depth = depth_++;
    std::uint8_t entered = kLoopEntered;
    for (int i = 1; i <= times; ++i, entered = 0) {
      if (iterator_fetches) {
        note(depth, line, caller, i, kLoopAtHead | entered);
        fetch(), entered = 0;
      }
      note(depth, line, caller, i, kLoopCounted | entered);
      body(i - 1);
    }
    if (iterator_fetches) note(depth, line, caller, times + 1, kLoopAtHead), fetch();
    --depth_;
    pending_leave_ = true;
  }
  void fetch() {
    range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", [&] { now += 2'000; });
  }
  // The first record behind a loop shows that it was left.
  void leave() {
    if (pending_leave_) note(depth_, 0, 0, 0, kLoopLeft);
    pending_leave_ = false;
  }
  void train(const std::string& net = "net", std::uint32_t line = 50) {
    leave();
    zero_grad(), train_ops(net);
    const std::size_t row = make.data.host_ranges.size();
    optimizer("Adam");
    // The scope comes behind its ops.
    make.data.host_ranges.site.resize(make.data.host_ranges.size(), kNone);
    for (std::size_t r = row; r < make.data.host_ranges.size(); ++r)
      make.data.host_ranges.site[r] = site_of(line);
  }

 private:
  void note(std::size_t depth, std::uint32_t line, std::uint32_t caller, std::int64_t iteration,
            int flags) {
    if (pending_leave_ && (flags & kLoopLeft) == 0) leave();
    LoopPositions& rows = make.data.loop_positions;
    rows.time.push_back(now);
    rows.thread.push_back(make.thread(1));
    rows.depth.push_back(static_cast<std::uint8_t>(depth));
    rows.flags.push_back(static_cast<std::uint8_t>(flags));
    rows.loop.push_back(line == 0 ? kNone : site_of(line));
    rows.caller.push_back(caller == 0 ? kNone : site_of(caller));
    rows.iteration.push_back(iteration);
    now += 100;
  }
  SiteId site_of(std::uint32_t line) {
    const auto [known, is_new] = sites_.try_emplace(line, 0);
    if (is_new) known->second = make.site("/home/me/train.py", line);
    return known->second;
  }

  std::size_t depth_ = 0;
  bool pending_leave_ = false;
  std::map<std::uint32_t, SiteId> sites_;
};

TEST(NestSteps, TheInnermostLoopThatHoldsEachOptimizer) {
  NestMaker run;
  run.loop(10, 4, [&](int) {
    run.loop(12, 6, [&](int) {
      run.loop(14, 2, [&](int) { run.train("D", 16); });
      run.train("G", 20);
    });
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 24U);
  EXPECT_EQ(steps.how, "24 iterations of the loop at train.py:12 (f)");
  ASSERT_EQ(steps.sections.size(), 1U);
  std::vector<std::uint64_t> counts;
  for (const Division& division : steps.sections[0].divisions) counts.push_back(division.steps);
  EXPECT_THAT(counts, ElementsAre(24U, 4U, 48U));
}

TEST(NestSteps, TwoLoopsWithTheSameLinesAreOne) {
  NestMaker run;
  run.loop(30, 5, [&](int) { run.train("D", 16), run.train("G", 20); });
  run.loop(32, 15, [&](int) { run.train("D", 16), run.train("G", 20); });
  EXPECT_EQ(found(run).list.size(), 20U);
}

TEST(NestSteps, ALoopThatIsCalledFromTwoLinesIsTwo) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    run.loop(
        4, 8, [&](int) { run.train(); }, 11, true);
    run.loop(
        4, 5, [&](int) { run.leave(), run.eval_ops(1); }, 12, true);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 24U);
  EXPECT_EQ(steps.how, "24 iterations of the loop at train.py:4 (f)");
}

TEST(NestSteps, TheLoopsEndIsInNoStep) {
  NestMaker run;
  run.loop(
      10, 8, [&](int) { run.train(); }, 0, true);
  const std::int64_t end = run.now;
  run.op("aten::save", 1'000'000);
  const Steps steps = found(run);
  ASSERT_EQ(steps.list.size(), 8U);
  EXPECT_LT(steps.list.back().window.end, end - 1'000);
}

TEST(NestSteps, WhatAnEpochDoesBehindItsLastBatchIsThatStepsAlsoInTheLastEpoch) {
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

TEST(NestSteps, SetUpIsInNone) {
  NestMaker run;
  run.loop(3, 200, [&](int) { run.op("aten::sort", 5'000); });
  run.loop(10, 8, [&](int) { run.train(); });
  EXPECT_EQ(found(run).list.size(), 8U);
}

TEST(NestSteps, AStepEndsWhereItsLoopComesRound) {
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

TEST(NestSteps, BatchesThatShareAnOptimizerStepAreOneStep) {
  NestMaker run;
  run.loop(10, 24, [&](int i) { i % 4 == 3 ? run.train() : run.train_ops(); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.list.size(), 6U);
  EXPECT_THAT(steps.how, HasSubstr("6 steps"));
}

TEST(NestSteps, AnIterationThatSkipsItsOptimizerIsAStep) {
  NestMaker run;
  run.loop(10, 12, [&](int i) { i == 5 ? run.train_ops() : run.train(); });
  EXPECT_EQ(found(run).list.size(), 12U);
}

TEST(NestSteps, AnEnsembleSharesItsBatch) {
  NestMaker run;
  run.loop(
      10, 8, [&](int) { run.loop(12, 3, [&](int) { run.train(); }); }, 0, true);
  EXPECT_EQ(found(run).list.size(), 8U);
}

TEST(NestSteps, BackwardPassesServeWhereThereIsNoOptimizer) {
  NestMaker run;
  run.loop(10, 3, [&](int) { run.loop(11, 7, [&](int) { run.train_ops(); }); });
  EXPECT_EQ(found(run).list.size(), 21U);
}

TEST(NestSteps, AVisitInWhichNothingTrainsBelongsToTheStepBefore) {
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
  EXPECT_THAT(steps.how, HasSubstr("in 12 more nothing trains"));
  EXPECT_GE(steps.list[5].window.length(), 4 * 200'000);
}

TEST(NestSteps, StepsOfALoopThatWasNotNotedAreFoundByTheirOptimizer) {
  NestMaker run;
  run.loop(10, 3, [&](int) {
    for (int batch = 0; batch < 20; ++batch) run.train();
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 60U);
}

TEST(NestSteps, ABackwardPassOfManyNodesIsNoLoop) {
  NestMaker run;
  run.loop(10, 8, [&](int) { run.train_ops("net", 9); });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(NestSteps, OptimizersThatHooksOfGradientsStepShareTheirPass) {
  NestMaker run;
  run.loop(10, 8, [&](int) {
    run.train_ops("net", 3);
    for (int parameter = 0; parameter < 6; ++parameter)
      run.range(
          "torch::autograd::AccumulateGrad", [&] { run.now += 10, run.optimizer(), run.now += 10; },
          HostKind::backward_node);
  });
  const Steps steps = found(run);
  EXPECT_EQ(steps.found_by, FoundBy::loop_nest);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(NestSteps, WithoutLoopsTheFindersServe) {
  LoopMaker run;
  for (int i = 0; i < 6; ++i) run.zero_grad(), run.train_ops(), run.optimizer();
  EXPECT_EQ(found(run).found_by, FoundBy::optimizer);
}

TEST(LoopNest, CountsIterationsWithoutRecords) {
  NestMaker run;
  run.loop(10, 4, [&](int) { run.op("aten::a"); });
  LoopPositions& rows = run.make.data.loop_positions;
  for (std::size_t i = 0; i < rows.size(); ++i) rows.iteration[i] *= 10;
  const Trace trace = run.build();
  const LoopNest nest = loop_nest_of(survey(trace, 0), 0);
  ASSERT_EQ(nest.loops.size(), 1U);
  EXPECT_EQ(nest.loops[0].iterations.size(), 4U);
  EXPECT_EQ(nest.loops[0].unseen, 27U);
}

}  // namespace
}  // namespace stepscope
