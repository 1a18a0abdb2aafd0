// SPDX-License-Identifier: Apache-2.0
#include "core/compare/step_shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::compare_parts {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

Division steps_at(const std::string& loop, std::uint64_t steps, double each = 1) {
  return {.steps = steps, .loop = loop, .steps_each = each};
}
Division around(const std::string& loop, std::uint64_t iterations, double each, double besides) {
  return {.steps = iterations,
          .loop = loop,
          .is_around = true,
          .steps_each = each,
          .own_share = besides};
}
Steps with(std::vector<Division> divisions, std::size_t chosen = 0) {
  Steps out;
  out.sections = {{.kind = "training", .divisions = std::move(divisions)}};
  out.chosen = {0, chosen};
  return out;
}

// A rollout, and then as many updates as there are mini-batches.
Steps policy(double updates, double rollout, const std::string& line = "ppo.py:86 (main)") {
  return with({steps_at("ppo.py:70 (update)", static_cast<std::uint64_t>(40 * updates)),
               around(line, 40, updates, rollout)});
}

TEST(StepShares, AnotherNumberOfUpdatesForARolloutIsAnotherStep) {
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0.5), policy(8, 0.6)),
              AllOf(HasSubstr("of the loop at ppo.py:86 (main) is 16 steps in A, 8 in B"),
                    HasSubstr("and does other things besides"),
                    HasSubstr("--section 1.1 compares its iterations")));
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0.5), policy(16, 0.6)), IsEmpty());
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0), policy(8, 0.01)), IsEmpty())
      << "epochs do nothing besides their batches";
}

// Lines were added, and functions and files have other names.
TEST(StepShares, LoopsArePairedByTheirPlace) {
  const Steps a = policy(16, 0.5);
  EXPECT_THAT(why_steps_share_otherwise(a, policy(8, 0.5, "rl8.py:70 (train)")),
              HasSubstr("8 in B"));
  EXPECT_THAT(why_steps_share_otherwise(a, policy(16, 0.5, "rl8.py:70 (train)")), IsEmpty());
}

// The loop right around the updates does nothing besides; the rollout is in the one around that.
TEST(StepShares, EachLoopAroundIsLookedAt) {
  const auto nested = [](double updates) {
    return with({steps_at("ppo.py:70 (update)", static_cast<std::uint64_t>(160 * updates)),
                 around("ppo.py:60 (main)", 40, 4 * updates, 0.5),
                 around("ppo.py:65 (main)", 160, updates, 0.01)});
  };
  EXPECT_THAT(
      why_steps_share_otherwise(nested(4), nested(8)),
      AllOf(HasSubstr("ppo.py:60 (main) is 16 steps in A, 32 in B"), HasSubstr("--section 1.1")));
}

TEST(StepShares, TheStepsOfOneSideMayBeTheLoopAroundThoseOfTheOther) {
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0.5), with({steps_at("ppo.py:86 (main)", 40)})),
              AllOf(HasSubstr("is 16 steps in A, 1 in B"), HasSubstr("report A --section 1.1")));
}

TEST(StepShares, AnotherNumberOfBatchesForAnOptimizerStepIsAnotherStep) {
  EXPECT_THAT(why_steps_share_otherwise(with({steps_at("t.py:9 (main)", 100, 0.25)}),
                                        with({steps_at("t.py:9 (main)", 200, 0.5)})),
              AllOf(HasSubstr("4 iterations are one step in A, 2 iterations are one step in B"),
                    HasSubstr("--samples")));
}

TEST(StepShares, AChosenDivisionIsComparedWithIterationsOfTheSameLoop) {
  const Steps chosen =
      with({steps_at("ppo.py:90 (main)", 640), around("ppo.py:86 (main)", 40, 16, 0.5)}, 1);
  EXPECT_THAT(why_steps_share_otherwise(chosen, chosen), IsEmpty());
  EXPECT_THAT(why_steps_share_otherwise(chosen, with({steps_at("ppo.py:88 (main)", 40)})),
              IsEmpty());
  const Steps other =
      with({steps_at("ppo.py:90 (main)", 640), around("ppo.py:86 (main)", 40, 16, 0.5)});
  EXPECT_THAT(why_steps_share_otherwise(chosen, other),
              HasSubstr("a step of A is an iteration of the loop at ppo.py:86 (main), one of B of "
                        "that at ppo.py:90 (main)"));
  EXPECT_THAT(why_steps_share_otherwise(Steps{}, Steps{}), IsEmpty());
}

}  // namespace
}  // namespace stepscope::compare_parts
