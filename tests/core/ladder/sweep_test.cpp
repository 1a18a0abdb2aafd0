// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/ladder/sample_ladder.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Sweep, JudgesTheLastRungOverTheFirstAtEachMicroBatch) {
  auto failed = samples::runs_of("R7", "cuda_graph", {});
  failed.failure = "out of memory at rungs R7";
  const LadderSweep sweep =
      make_sweep("llm", {{1,
                          {samples::runs_of("R6e", "fused_loss", {100, 101, 99}),
                           samples::runs_of("R7", "cuda_graph", {200, 202, 198})}},
                         {8,
                          {samples::runs_of("R6e", "fused_loss", {900, 901, 899}),
                           samples::runs_of("R7", "cuda_graph", {901, 900, 900})}},
                         {64, {samples::runs_of("R6e", "fused_loss", {900, 901, 899}), failed}}});
  ASSERT_EQ(sweep.points.size(), 3U);
  EXPECT_EQ(sweep.points[0].effect, Effect::faster);
  EXPECT_NEAR(sweep.points[0].ladder.rungs[1].in_all->value, 2, 1e-6);
  EXPECT_EQ(sweep.points[1].effect, Effect::none);
  EXPECT_EQ(sweep.points[2].effect, Effect::failed);
  EXPECT_THAT(sweep.notes, Contains(HasSubstr("micro-batch 64: R7: out of memory")));
  EXPECT_TRUE(sweep.same_losses());
}

TEST(Sweep, LossesAreHeldToTheFirstRungsAtTheSameMicroBatch) {
  auto runs = samples::runs_of("R7", "cuda_graph", {100});
  runs.runs[0].losses = {6, 5, 3};
  const LadderSweep sweep =
      make_sweep("llm", {{1, {samples::runs_of("R6e", "fused_loss", {100}), runs}}});
  EXPECT_FALSE(sweep.same_losses());
  EXPECT_THAT(sweep.notes, Contains(HasSubstr("micro-batch 1: R7: its loss differs")));
}

}  // namespace
}  // namespace stepscope
