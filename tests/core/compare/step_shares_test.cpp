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
  return {.steps = iterations, .loop = loop, .steps_each = each, .own_share = besides};
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
                    HasSubstr("60 % of its time is in none of them"),
                    HasSubstr("--section 1.1 compares its iterations")));
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0.5), policy(16, 0.6)), IsEmpty());
  EXPECT_THAT(why_steps_share_otherwise(policy(16, 0), policy(8, 0.01)), IsEmpty())
      << "epochs do nothing besides their batches";
}

TEST(StepShares, ALoopIsKnownByItsFunctionAndIterationsWhereLinesWereAdded) {
  const Steps a = policy(16, 0.5);
  EXPECT_THAT(why_steps_share_otherwise(a, policy(8, 0.5, "ppo.py:91 (main)")),
              HasSubstr("8 in B"));
  EXPECT_THAT(why_steps_share_otherwise(a, policy(8, 0.5, "ppo.py:91 (test)")), IsEmpty());
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

TEST(StepShares, AChosenDivisionIsTheUsersOwnWord) {
  const Steps a =
      with({steps_at("ppo.py:70 (update)", 640), around("ppo.py:86 (main)", 40, 16, 0.5)}, 1);
  EXPECT_THAT(why_steps_share_otherwise(a, policy(8, 0.5)), IsEmpty());
  EXPECT_THAT(why_steps_share_otherwise(Steps{}, Steps{}), IsEmpty());
}

}  // namespace
}  // namespace stepscope::compare_parts
