// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/named_range.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/steps/found.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace stepscope
