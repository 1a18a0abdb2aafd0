// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/finders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(Optimizer, OneStepEach) {
  LoopMaker loop;
  for (int i = 0; i < 7; ++i) loop.zero_grad(), loop.train_ops(), loop.optimizer();
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 7U);
  EXPECT_EQ(steps.how, "7 Optimizer.step scopes on thread 1");
}

TEST(Optimizer, GradientAccumulationIsOneStep) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    for (int micro = 0; micro < 4; ++micro) loop.train_ops();
    loop.optimizer();
    loop.zero_grad();
  }
  EXPECT_EQ(found(loop).list.size(), 5U);
}

TEST(Optimizer, SeveralBackToBackAreOneStep) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.train_ops("net", 8);
    loop.optimizer("Muon"), loop.optimizer("AdamW");
    loop.zero_grad("Muon"), loop.zero_grad("AdamW");
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 6U);
  EXPECT_THAT(steps.how, HasSubstr("12 Optimizer.step scopes"));
  EXPECT_THAT(steps.how, HasSubstr("6 iterations"));
}

TEST(Optimizer, AWrappedOptimizerIsOne) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.train_ops();
    loop.range("Optimizer.step#Lookahead.step", [&] { loop.optimizer(); });
  }
  EXPECT_EQ(found(loop).list.size(), 6U);
}

TEST(Optimizer, AGanInTurnsIsOneStepAnIteration) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.zero_grad(), loop.train_ops("D", 2), loop.train_ops("D", 2), loop.optimizer("Adam");
    loop.zero_grad(), loop.train_ops("G", 4), loop.optimizer("Adam");
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 6U);
}

TEST(Optimizer, AGanOfTheSameOpsIsToldByItsBackwardNodes) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.train_ops("mlp", 2), loop.train_ops("mlp", 2), loop.optimizer();
    loop.train_ops("mlp", 5), loop.optimizer();
  }
  EXPECT_EQ(found(loop).list.size(), 6U);
}

TEST(Optimizer, FiveCriticsToOneGenerator) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    for (int critic = 0; critic < 5; ++critic) loop.train_ops("critic"), loop.optimizer("RMSprop");
    loop.train_ops("generator"), loop.optimizer("RMSprop", 4);
  }
  EXPECT_EQ(found(loop).list.size(), 5U);
}

// What a critic does behind its optimizer is done before the generator, too, and not behind it: no
// batch that both have.
TEST(Optimizer, WorkBehindACriticsStepIsNoBatchOfTheGenerator) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    for (int critic = 0; critic < 5; ++critic) {
      loop.train_ops("critic"), loop.optimizer("RMSprop");
      loop.op("aten::clamp_"), loop.op("aten::clamp_");
    }
    loop.train_ops("generator"), loop.optimizer("RMSprop", 4);
  }
  EXPECT_EQ(found(loop).list.size(), 8U);
}

// Two critic updates in each iteration, or an actor in every second iteration: the same sequence.
TEST(Optimizer, ACycleWithTurnsAlikeIsOneIterationAndSaysWhatElseItMayBe) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) {
    loop.op("aten::index"), loop.train_ops("critic"), loop.optimizer("Adam");
    if (i % 2 == 1) loop.train_ops("actor"), loop.optimizer("Adam", 4);
  }
  const Trace trace = loop.build();
  const Steps steps = found(trace);
  EXPECT_EQ(steps.list.size(), 15U);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("cycles of 3, some of them alike")));
  ASSERT_EQ(steps.sections.size(), 1U);
  ASSERT_EQ(steps.sections[0].divisions.size(), 2U);
  EXPECT_EQ(found(trace, {.section = SectionChoice{0, 1}}).list.size(), 45U);
}

// Trials of different models, each by the same code.
TEST(Optimizer, ModelsThatOneLineTrainsInTurnsAreAStepEach) {
  for (const bool has_lines : {true, false}) {
    LoopMaker loop;
    for (int i = 0; i < 8; ++i)
      for (const std::string name : {"Adam", "SGD", "AdamW"})
        loop.train_ops(name), loop.optimizer(name);
    const SiteId line = loop.make.site("train.py", 13);
    HostRanges& ranges = loop.make.data.host_ranges;
    for (std::size_t range = 0; range < ranges.size(); ++range)
      if (has_lines && ranges.kind[range] == HostKind::user_scope) ranges.site[range] = line;
    EXPECT_EQ(found(loop).list.size(), has_lines ? 24U : 8U);
  }
}

// Epochs over one rollout, or a chunk of a sequence each.
TEST(Optimizer, StepsOnOneFetchedBatchAreOneIteration) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.now += 500; });
    for (int epoch = 0; epoch < 4; ++epoch) loop.train_ops(), loop.optimizer();
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

TEST(Optimizer, TwoCriticStepsOnOneBatchAreOneIteration) {
  for (const bool on_device : {false, true}) {
    LoopMaker loop;
    const auto work = [&](const std::string& net) {
      for (int k = 0; k < 5; ++k) on_device ? void(loop.kernel(net, 900)) : loop.op(net);
    };
    for (int i = 0; i < 20; ++i) {
      if (on_device) {
        loop.copy(CopyKind::host_to_device, 500);
        loop.make.data.device_ops.name.back() =
            loop.make.data.strings.intern("Memcpy HtoD (Pinned -> Device)");
      } else
        loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                   [&] { loop.now += 500; });
      for (int critic = 0; critic < 2; ++critic) work("critic"), loop.optimizer("Adam");
      work("generator"), loop.optimizer("SGD", 4);
    }
    EXPECT_EQ(found(loop).list.size(), 20U) << on_device;
  }
}

TEST(Optimizer, AnEvaluationEverySecondStepIsNoCycle) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    loop.train_ops(), loop.optimizer();
    if (i % 2 == 1) loop.range("eval", [&] { loop.eval_ops(); });
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

TEST(Optimizer, TwoOptimizersInEveryBatchOfALoader) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.now += 500; });
    loop.train_ops(), loop.optimizer();
    loop.train_ops(), loop.optimizer();
  }
  EXPECT_EQ(found(loop).list.size(), 6U);
}

// As GradScaler does behind an overflow. The loops are not known.
TEST(Optimizer, AnIterationThatSkipsItsOptimizerJoinsTheNextStepAndIsTold) {
  for (const bool skips : {false, true}) {
    LoopMaker loop;
    for (int i = 0; i < 40; ++i) {
      loop.zero_grad(), loop.train_ops();
      if (!skips || (i != 2 && i != 17 && i != 23 && i != 24)) loop.optimizer();
    }
    const Steps steps = found(loop);
    EXPECT_EQ(steps.list.size(), skips ? 36U : 40U);
    const auto told = Contains(HasSubstr("3 of 36 steps hold the backward passes of two"));
    if (skips) {
      EXPECT_THAT(steps.notes, told);
    } else {
      EXPECT_TRUE(steps.notes.empty());
    }
  }
}

// The first ones overflow until the scale fits; two more do later. Rare steps that are twice as much
// make no cycle with the ten usual ones between them.
TEST(Optimizer, SkippedIterationsMakeNoCycle) {
  LoopMaker loop;
  for (int i = 0; i < 40; ++i) {
    loop.zero_grad(), loop.train_ops();
    if (i > 2 && i != 9 && i != 20) loop.optimizer();
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 35U);
  EXPECT_THAT(steps.notes, Contains(HasSubstr("3 of 35 steps hold the backward passes of two")));
}

// Graphs that grow, accumulation, and an optimizer that evaluates in its own scope.
TEST(Optimizer, MoreBackwardNodesOfOtherKindsAreNoSkippedIteration) {
  LoopMaker growing, accumulating, closure;
  for (int i = 1; i <= 24; ++i) {
    growing.train_ops("net", i), growing.optimizer();
    accumulating.train_ops();
    if (i % 4 == 0) accumulating.optimizer();
    closure.train_ops();
    closure.range("Optimizer.step#LBFGS.step", [&] {
      for (int k = 0; k <= i % 3; ++k) closure.train_ops();
    });
  }
  for (LoopMaker* loop : {&growing, &accumulating, &closure})
    EXPECT_THAT(found(*loop).notes, ::testing::Not(Contains(HasSubstr("backward passes"))));
}

TEST(Optimizer, ASecondZeroGradInAStepIsNoSkippedIteration) {
  LoopMaker loop;
  for (int i = 0; i < 12; ++i) {
    loop.zero_grad();
    if (i % 4 == 1) loop.zero_grad();
    for (int k = 0; k < 10; ++k) loop.kernel("k", 900);  // no backward node is recorded
    loop.optimizer();
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

TEST(Optimizer, ValidationEpochsStayInTheStepBehindThem) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 10; ++i) loop.train_ops(), loop.optimizer();
    loop.eval_ops(40);
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 30U);
  EXPECT_EQ(steps.steady_count(), 29U);
}

// Two loops side by side, of which the main thread's has fewer steps.
TEST(Optimizer, OfThreadsThatTrainAlikeTheMainOneIsTheLoop) {
  LoopMaker loop;
  for (int i = 0; i < 10; ++i) {
    for (const std::int64_t tid : {100, 101}) {
      if (tid == 100 && i >= 8) continue;
      const std::int64_t begin = loop.now;
      loop.op("aten::linear", 1'000, tid);
      loop.make.range(HostKind::user_scope, "Optimizer.step#Adam.step", tid, loop.now,
                      loop.now + 2'000);
      loop.now = begin + 5'000;
    }
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 8U);
  ASSERT_FALSE(steps.notes.empty());
  EXPECT_NE(steps.notes.front().find("optimizer steps of 1 more thread are"), std::string::npos);
}

// A validation of few operations that take long.
TEST(Optimizer, AShortValidationBehindTheLastStepIsItsOwn) {
  LoopMaker loop;
  for (int i = 1; i <= 60; ++i) {
    loop.train_ops("net", 12), loop.optimizer("Adam", 6);
    if (i % 10 == 0)
      loop.op("aten::linear_all", 200'000), loop.op("aten::mse"), loop.op("aten::item");
  }
  const std::int64_t last_op = loop.now - 1'000;
  loop.op("aten::save");
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 60U);
  EXPECT_GE(steps.list.back().window.end, last_op);
  EXPECT_LE(steps.list.back().window.end, loop.now);
}

// Cross validation: each fold has an optimizer of its own, whose first step makes its state.
TEST(Optimizer, ANewOptimizerInEachFoldIsNoCycle) {
  LoopMaker loop;
  for (int fold = 0; fold < 5; ++fold) {
    for (int i = 0; i < 12; ++i) {
      loop.train_ops();
      loop.range("Optimizer.step#Adam.step", [&] {
        for (int k = 0; i == 0 && k < 8; ++k) loop.op("aten::zeros_like");
        for (int k = 0; k < 6; ++k) loop.op("aten::_foreach_addcdiv_");
      });
    }
    loop.eval_ops(3);
  }
  EXPECT_EQ(found(loop).list.size(), 60U);
}

}  // namespace
}  // namespace stepscope
