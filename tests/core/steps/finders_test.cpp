// SPDX-License-Identifier: Apache-2.0
// Each finder on the loop that it is for, and on the traps around it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/steps/named_range.hpp"
#include "core/steps/steps.hpp"
#include "tests/core/steps/loop_maker.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

Steps found(LoopMaker& loop, const StepOptions& options = {}) {
  Result<Steps> steps = find_steps(loop.build(), options);
  EXPECT_TRUE(steps.ok()) << (steps.ok() ? "" : steps.error().message);
  return steps.ok() ? steps.value() : Steps{};
}

std::vector<std::int64_t> ids_of(const Steps& steps) {
  std::vector<std::int64_t> ids;
  for (const Step& step : steps.list) ids.push_back(step.id);
  return ids;
}

// ---- ProfilerStep#

TEST(ProfilerStep, KeepsTheMarksOwnNumbers) {
  LoopMaker loop;
  for (int i = 3; i < 7; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] { loop.train_ops(); });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::profiler_step);
  EXPECT_EQ(ids_of(steps), (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_EQ(steps.how, "4 ProfilerStep# marks on thread 1");
  EXPECT_GT(steps.confidence, 0.95);
}

TEST(ProfilerStep, CopiesOnADevicesTimeLineDoNotDouble) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    const std::int64_t begin = loop.now;
    loop.range("ProfilerStep#" + std::to_string(i), [&] { loop.train_ops(); });
    // Longer than the true marks, on a thread that holds nothing else: a gpu_user_annotation.
    loop.make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 7, begin + 100,
                    loop.now + 90);
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 5U);
  EXPECT_EQ(steps.list[0].host.begin, LoopMaker::kStart);
}

TEST(ProfilerStep, TheSameMarkTwiceOnAThreadIsOneStep) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    const std::string name = "ProfilerStep#" + std::to_string(i);
    loop.range(name, [&] {
      loop.range(
          name, [&] { loop.train_ops(); }, HostKind::nvtx_range);
    });
  }
  EXPECT_EQ(found(loop).list.size(), 4U);
}

TEST(ProfilerStep, MarksOfASmallPartYieldToTheOptimizer) {
  LoopMaker loop;
  for (int i = 0; i < 20; ++i) {
    const auto body = [&] { loop.train_ops(), loop.optimizer(); };
    if (i < 2) {
      loop.range("ProfilerStep#" + std::to_string(i), body);
    } else {
      body();
    }
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 20U);
}

TEST(ProfilerStep, ASingleMarkYieldsToTheOptimizer) {
  LoopMaker loop;
  loop.range("ProfilerStep#1", [&] {
    for (int i = 0; i < 6; ++i) loop.train_ops(), loop.optimizer();
  });
  EXPECT_EQ(found(loop).found_by, FoundBy::optimizer);
}

// ---- ranges named like a step

TEST(NamedRange, SplitsNumbersThatStandAlone) {
  EXPECT_EQ(split_number("step 12").stem, "step #");
  EXPECT_EQ(split_number("step 12").number, 12);
  EXPECT_EQ(split_number("Step/7").number, 7);
  EXPECT_EQ(split_number("iteration_003").number, 3);
  EXPECT_EQ(split_number("step12").number, 12);
  EXPECT_EQ(split_number("batch (5)").stem, "batch (#)");
  EXPECT_EQ(split_number("## Call CompiledFxGraph f3akx7jhbs ##").number, std::nullopt);
  EXPECT_EQ(split_number("forward").number, std::nullopt);
  EXPECT_EQ(split_number("99999999999999999999999").number, std::nullopt);
  EXPECT_EQ(split_number("").stem, "");
}

TEST(NamedRange, KnowsNamesOfSteps) {
  for (const char* name : {"step 12", "train_step", "TrainStep", "Iteration #3", "training_step",
                           "iter/7", "run_training_batch", "DeepSpeedEngine.step"}) {
    EXPECT_TRUE(is_named_like_a_step(name)) << name;
  }
  for (const char* name :
       {"epoch 1", "Optimizer.step#Adam.step", "optimizer_step", "microbatch 3", "eval step 3",
        "lr_scheduler.step", "footstep", "forward", "ProfilerStep#3", "val_batch", ""}) {
    EXPECT_FALSE(is_named_like_a_step(name)) << name;
  }
}

TEST(NamedRange, FindsNumberedAndUnnumberedSteps) {
  for (const HostKind kind : {HostKind::nvtx_range, HostKind::user_scope}) {
    for (const bool numbered : {true, false}) {
      LoopMaker loop;
      for (int i = 10; i < 16; ++i) {
        const std::string name = numbered ? "Step/" + std::to_string(i) : "train_step";
        loop.range(
            name, [&] { loop.train_ops(), loop.optimizer(); }, kind);
      }
      const Steps steps = found(loop);
      EXPECT_EQ(steps.found_by, FoundBy::nvtx_step);
      EXPECT_EQ(steps.list.size(), 6U);
      EXPECT_EQ(steps.list.front().id, numbered ? 10 : 0);
      EXPECT_THAT(steps.how, HasSubstr(numbered ? "'Step/#'" : "'train_step'"));
    }
  }
}

TEST(NamedRange, AnEpochAroundStepsIsNoStep) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 4; ++epoch) {
    loop.range("epoch " + std::to_string(epoch), [&] {
      for (int i = 0; i < 5; ++i) {
        loop.range("step " + std::to_string(i), [&] { loop.train_ops(); });
      }
    });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.list.size(), 20U);
  EXPECT_EQ(steps.list[19].id, 19);  // numbers start anew, so they cannot be the ids
}

TEST(NamedRange, AnyRunningNumberThatTilesTheRun) {
  LoopMaker loop;
  for (int i = 0; i < 8; ++i) {
    loop.range("round:" + std::to_string(i), [&] {
      for (int layer = 0; layer < 3; ++layer) {
        loop.range("layer " + std::to_string(layer), [&] { loop.train_ops(); });
      }
    });
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::nvtx_step);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(NamedRange, MicrobatchesAndPhasesAreNoSteps) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    for (int micro = 0; micro < 4; ++micro) {
      loop.range("microbatch " + std::to_string(4 * i + micro), [&] { loop.train_ops(); });
    }
    loop.optimizer();
  }
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::optimizer);
  EXPECT_EQ(steps.list.size(), 6U);
}

TEST(NamedRange, TimeBetweenMarksBelongsToTheNextStep) {
  LoopMaker loop;
  for (int i = 0; i < 5; ++i) {
    loop.op("load", 4'000);
    loop.range("step " + std::to_string(i), [&] { loop.train_ops(); });
  }
  const Steps steps = found(loop);
  ASSERT_EQ(steps.list.size(), 5U);
  EXPECT_EQ(steps.list[1].window.begin, steps.list[0].host.end);
  EXPECT_EQ(steps.list[1].wall_ns(), steps.list[1].host.length() + 4'000);
}

TEST(NamedRange, TheThreadThatTrainsWinsOverALoaders) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    const std::int64_t begin = loop.now;
    loop.range("step " + std::to_string(i), [&] { loop.train_ops(); });
    loop.make.range(HostKind::nvtx_range, "batch " + std::to_string(i), 2, begin, begin + 900);
  }
  const Steps steps = found(loop);
  EXPECT_THAT(steps.how, HasSubstr("'step #' on thread 1"));
}

// ---- optimizer

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

TEST(Optimizer, AScalerThatSkipsLeavesItsIterationsCounted) {
  for (const bool zero_first : {true, false}) {
    LoopMaker loop;
    for (int i = 0; i < 12; ++i) {
      loop.op("load");
      if (zero_first) loop.zero_grad();
      loop.train_ops();
      if (i != 5 && i != 9) loop.optimizer();
      if (!zero_first) loop.zero_grad();
    }
    const Steps steps = found(loop);
    EXPECT_EQ(steps.list.size(), 12U) << zero_first;
    EXPECT_THAT(steps.how,
                HasSubstr("2 iterations that called zero_grad but skipped the optimizer"));
  }
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

// ---- DataLoader

TEST(DataLoader, ALoopWithoutAnOptimizer) {
  LoopMaker loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
               [&] { loop.op("collate"); });
    loop.eval_ops(1);
  }
  // The epoch's end: a __next__ that brings nothing.
  loop.range("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
             [&] { loop.now += 100; });
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::data_loader);
  EXPECT_EQ(steps.list.size(), 6U);
}

TEST(DataLoader, ValidationBatchesAreNoSteps) {
  LoopMaker loop;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int i = 0; i < 4; ++i) {
      loop.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 [&] { loop.now += 300; });
      loop.train_ops();
    }
    for (int i = 0; i < 2; ++i) {
      loop.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 [&] { loop.now += 300; });
      loop.eval_ops(1);
    }
  }
  EXPECT_EQ(found(loop).list.size(), 12U);
}

// ---- the user's marker

TEST(UserMarker, BeatsEveryOtherMark) {
  LoopMaker loop;
  for (int i = 0; i < 4; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), [&] {
      loop.range("my work", [&] { loop.train_ops(); });
      loop.range("my work", [&] { loop.train_ops(); });
    });
  }
  const Steps steps = found(loop, {.marker_regex = "^my w"});
  EXPECT_EQ(steps.found_by, FoundBy::user_marker);
  EXPECT_EQ(steps.list.size(), 8U);
}

TEST(UserMarker, OneMatchIsOneStep) {
  LoopMaker loop;
  loop.range("all of it", [&] { loop.train_ops(); });
  const Steps steps = found(loop, {.marker_regex = "all"});
  ASSERT_EQ(steps.list.size(), 1U);
  EXPECT_TRUE(steps.list[0].steady);
}

TEST(UserMarker, MatchesOpsAndPythonFunctionsWhereNoAnnotationDoes) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) {
    loop.range(
        "train.py(12): one_round", [&] { loop.train_ops(); }, HostKind::python_function);
  }
  EXPECT_EQ(found(loop, {.marker_regex = "one_round"}).list.size(), 3U);
}

TEST(UserMarker, NoMatchNamesWhatThereIs) {
  LoopMaker loop;
  for (int i = 0; i < 3; ++i) loop.range("round " + std::to_string(i), [&] { loop.train_ops(); });
  const Result<Steps> steps = find_steps(loop.build(), {.marker_regex = "batch"});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message, HasSubstr("'round #' (3x)"));
}

TEST(UserMarker, ABadExpressionIsAUsageError) {
  LoopMaker loop;
  loop.train_ops();
  const Result<Steps> steps = find_steps(loop.build(), {.marker_regex = "step ["});
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::usage);
  EXPECT_THAT(steps.error().message, HasSubstr("step ["));
}

// ---- processes and bad input

TEST(FindSteps, ReadsTheLowestRankAndSaysSo) {
  TraceMaker make;
  make.data.processes = {{.pid = 11, .rank = 1, .world_size = 2},
                         {.pid = 10, .rank = 0, .world_size = 2}};
  for (ProcessId process = 0; process < 2; ++process) {
    make.thread(100 + process, "", process);
    for (int i = 0; i < 4 + static_cast<int>(process); ++i) {
      make.range(HostKind::user_scope, "ProfilerStep#" + std::to_string(i), 1, 1'000 * (i + 1),
                 1'000 * (i + 1) + 900);
      make.data.host_ranges.thread.back() = process;
    }
  }
  std::erase_if(make.data.threads, [](const Thread& t) { return t.tid == 1; });
  const Result<Steps> steps = find_steps(make.build());
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(steps->process, 1U);
  EXPECT_EQ(steps->list.size(), 5U);
  ASSERT_FALSE(steps->notes.empty());
  EXPECT_THAT(steps->notes.front(), HasSubstr("rank 0"));
}

TEST(FindSteps, AnEmptyTraceIsBadInput) {
  TraceMaker make;
  const Result<Steps> steps = find_steps(make.build());
  ASSERT_FALSE(steps.ok());
  EXPECT_EQ(steps.error().code, ErrorCode::bad_input);
}

TEST(FindSteps, NothingThatRepeatsIsOneWindowAndSaysSo) {
  LoopMaker loop;
  for (int i = 0; i < 30; ++i) loop.op("aten::op" + std::to_string(i * i));
  const Steps steps = found(loop);
  EXPECT_EQ(steps.found_by, FoundBy::whole_trace);
  ASSERT_EQ(steps.list.size(), 1U);
  EXPECT_THAT(steps.how, HasSubstr("no step time is claimed"));
  EXPECT_LE(steps.confidence, 0.1);
  EXPECT_EQ(steps.list[0].window, (Interval{LoopMaker::kStart, loop.now}));
}

TEST(FindSteps, NamesAreStable) {
  EXPECT_EQ(name_of(FoundBy::user_marker), "user_marker");
  EXPECT_EQ(name_of(FoundBy::profiler_step), "profiler_step");
  EXPECT_EQ(name_of(FoundBy::nvtx_step), "nvtx_step");
  EXPECT_EQ(name_of(FoundBy::optimizer), "optimizer");
  EXPECT_EQ(name_of(FoundBy::data_loader), "data_loader");
  EXPECT_EQ(name_of(FoundBy::periodicity), "periodicity");
  EXPECT_EQ(name_of(FoundBy::whole_trace), "whole_trace");
}

}  // namespace
}  // namespace stepscope
