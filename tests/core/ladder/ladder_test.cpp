// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/core/ladder/sample_ladder.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

Ladder sample() {
  return make_ladder("llm", samples::five_rungs());
}

TEST(Ladder, EachRungIsJudgedAgainstTheOneBelowThatRan) {
  const Ladder ladder = sample();
  ASSERT_EQ(ladder.rungs.size(), 5U);
  const Effect expected[] = {Effect::first, Effect::faster, Effect::none, Effect::failed,
                             Effect::slower};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(ladder.rungs[i].effect, expected[i]) << i;
  EXPECT_NEAR(ladder.rungs[1].gain->value, 3.0, 0.01);
  EXPECT_NEAR(ladder.rungs[4].gain->value, 0.663, 0.001) << "against R2, not R3";
  EXPECT_NEAR(ladder.rungs[4].in_all->value, 1.99, 0.01);
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("R3: needs a GPU")));
}

TEST(Ladder, OneRepeatIsNotJudged) {
  const Ladder ladder = make_ladder(
      "llm", {samples::runs_of("R0", "naive", {100}), samples::runs_of("R1", "tf32", {300})});
  EXPECT_EQ(ladder.rungs[1].effect, Effect::undecided);
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("--repeats 3")));
}

TEST(Ladder, AWideIntervalThatHoldsOneIsUndecidedAndNoNull) {
  const Ladder ladder = make_ladder("llm", {samples::runs_of("R0", "naive", {100, 100, 100}),
                                            samples::runs_of("R1", "tf32", {80, 130, 100})});
  EXPECT_EQ(ladder.rungs[1].effect, Effect::undecided);
  EXPECT_THAT(ladder.notes, Contains(HasSubstr("undecided (R1): 3 repeats")));
}

TEST(Ladder, LossesAreHeldAgainstTheFirstRungs) {
  auto rungs = samples::five_rungs();
  rungs[1].runs[0].losses = {6, 5.05, 4};
  rungs[2].runs[0].losses = {6, 5, 4.4};
  const Ladder ladder = make_ladder("llm", rungs);
  EXPECT_TRUE(ladder.rungs[1].loss->within);
  EXPECT_NEAR(ladder.rungs[1].loss->largest_difference, 0.01, 1e-12);
  EXPECT_FALSE(ladder.rungs[2].loss->within);
  EXPECT_EQ(ladder.rungs[2].loss->at_step, 3);
  EXPECT_FALSE(ladder.same_losses());
  EXPECT_TRUE(sample().same_losses());
}

std::int64_t sum_of(const std::vector<StepPart>& parts) {
  std::int64_t sum = 0;
  for (const StepPart& part : parts) sum += part.ns;
  return sum;
}

TEST(Ladder, ChangesAreAgainstTheLastRungWithAProfile) {
  const Ladder ladder = sample();
  EXPECT_EQ(ladder.device, "NVIDIA H100");
  const ProfiledStep& first = *ladder.rungs[0].step;
  const ProfiledStep& second = *ladder.rungs[1].step;
  const ProfiledStep& last = *ladder.rungs[4].step;
  EXPECT_TRUE(first.changes.empty());
  EXPECT_EQ(second.changes.front().cause, Cause::gpu_gemm);
  EXPECT_EQ(sum_of(second.changes), second.wall_ns - first.wall_ns);
  EXPECT_EQ(last.changes.front().cause, Cause::host_python);
  EXPECT_EQ(sum_of(last.changes), last.wall_ns - second.wall_ns);
}

// Whatever the numbers: parts sum to the step, changes to the difference of two steps.
TEST(Ladder, PartsAndChangesSumExactly) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<RungRuns> rungs;
    for (int i = 0; i < 4; ++i) {
      rungs.push_back(samples::runs_of("R", "r", {100}));
      std::vector<PartSum> parts;
      for (std::size_t cause = random() % 5; cause < kCauseCount; cause += 1 + random() % 6)
        parts.push_back(
            {static_cast<Cause>(cause), static_cast<std::int64_t>(random() % 1'000'000'007)});
      rungs.back().profile = samples::profiled(1 + random() % 97, parts);
    }
    const Ladder ladder = make_ladder("llm", rungs);
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
      const ProfiledStep& step = *ladder.rungs[i].step;
      EXPECT_EQ(sum_of(step.parts), step.wall_ns);
      if (i == 0) continue;
      EXPECT_EQ(sum_of(step.changes), step.wall_ns - ladder.rungs[i - 1].step->wall_ns);
    }
  }
}

TEST(Ladder, OfNothingSaysSo) {
  auto failed = samples::runs_of("R0", "naive", {});
  failed.failure = "no memory";
  const Ladder ladder = make_ladder("llm", {failed});
  EXPECT_EQ(ladder.repeats, 0U);
  EXPECT_EQ(ladder.rungs[0].effect, Effect::failed);
}

}  // namespace
}  // namespace stepscope
