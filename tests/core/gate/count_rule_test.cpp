// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

CountedWork plain(std::uint64_t a_step, std::uint64_t steps = 20) {
  return {a_step * steps, steps, a_step, a_step};
}

// `extra` more in each step that evaluates.
CountedWork with_evaluation(std::uint64_t a_step, std::uint64_t steps, std::uint64_t evaluations,
                            std::uint64_t extra) {
  return {a_step * steps + evaluations * extra, steps, a_step,
          evaluations > 0 ? a_step + extra : a_step};
}

Outcome judged(const std::vector<CountedWork>& b, const std::vector<CountedWork>& c,
               double tolerance = 0) {
  MetricResult out;
  judge_count(b, c, tolerance, out);
  EXPECT_FALSE(out.why.empty());
  return out.outcome;
}

TEST(CountRule, OneMoreInEachStepIsARegressionFromOneRun) {
  EXPECT_EQ(judged({plain(100)}, {plain(101)}), Outcome::regression);
  EXPECT_EQ(judged({plain(0)}, {plain(1)}), Outcome::regression);
  EXPECT_EQ(judged({plain(100)}, {plain(100)}), Outcome::pass);
  EXPECT_EQ(judged({plain(0)}, {plain(0)}), Outcome::pass);
  EXPECT_EQ(judged({plain(100)}, {plain(99)}), Outcome::pass);
  EXPECT_EQ(judged({plain(100, 7)}, {plain(100, 19)}), Outcome::pass);
}

TEST(CountRule, ToleranceIsRelative) {
  EXPECT_EQ(judged({plain(100)}, {plain(105)}, 0.05), Outcome::pass);
  EXPECT_EQ(judged({plain(100)}, {plain(106)}, 0.05), Outcome::regression);
}

TEST(CountRule, AnEvaluationMoreInTheWindowIsNoRegression) {
  const CountedWork one = with_evaluation(100, 50, 1, 500);
  const CountedWork two = with_evaluation(100, 40, 2, 500);
  EXPECT_EQ(judged({one}, {two}), Outcome::inconclusive);
  EXPECT_EQ(judged({two}, {one}), Outcome::pass);
  EXPECT_EQ(judged({with_evaluation(100, 50, 0, 500)}, {one}), Outcome::inconclusive);
}

TEST(CountRule, ARiseWithinTheDoubtIsNoPass) {
  EXPECT_EQ(judged({{.total = 4'000, .steps = 20, .least = 100, .most = 700}},
                   {{.total = 4'244, .steps = 20, .least = 100, .most = 700}}),
            Outcome::inconclusive);
}

CountedWork with_whole(CountedWork work, std::uint64_t whole, std::uint64_t steps) {
  work.in_recording = whole;
  work.steps_recorded = steps;
  return work;
}

TEST(CountRule, TheSameWorkInTheWholeRecordingsIsAPassWhereOnlyTheWindowsDiffer) {
  const CountedWork longer = with_whole(with_evaluation(100, 38, 4, 500), 6'200, 42);
  const CountedWork shorter = with_whole(with_evaluation(100, 33, 4, 500), 6'200, 42);
  EXPECT_EQ(judged({longer}, {shorter}), Outcome::pass);
  EXPECT_EQ(judged({longer, shorter}, {shorter, longer}), Outcome::pass);
  const auto whole = [&](std::uint64_t work, std::uint64_t steps) {
    return judged({longer}, {with_whole(shorter, work, steps)});
  };
  EXPECT_EQ(whole(6'201, 42), Outcome::inconclusive);
  EXPECT_EQ(whole(6'199, 42), Outcome::inconclusive) << "less in warm-up could hide more behind it";
  EXPECT_EQ(whole(6'200, 43), Outcome::inconclusive);
  EXPECT_EQ(judged({longer}, {with_evaluation(100, 33, 4, 500)}), Outcome::inconclusive);
}

TEST(CountRule, MoreInEachStepIsSeenBesideTheSameWhole) {
  EXPECT_EQ(judged({with_whole(plain(100), 6'000, 42)}, {with_whole(plain(101), 6'000, 42)}),
            Outcome::regression);
}

TEST(CountRule, MoreInEachStepIsSeenThroughThroughEvaluations) {
  EXPECT_EQ(judged({with_evaluation(100, 50, 1, 500)}, {with_evaluation(130, 50, 1, 500)}),
            Outcome::regression);
  EXPECT_EQ(judged({with_evaluation(1, 50, 5, 1)}, {with_evaluation(2, 50, 5, 1)}),
            Outcome::regression);
  EXPECT_EQ(judged({with_evaluation(100, 50, 1, 500)}, {with_evaluation(700, 50, 1, 500)}),
            Outcome::regression);
}

CountedWork one_irregular(std::uint64_t a_step, std::uint64_t irregular) {
  return {.total = a_step * 249 + irregular,
          .steps = 250,
          .least = std::min(a_step, irregular),
          .most = std::max(a_step, irregular),
          .p10 = a_step,
          .p90 = a_step};
}

TEST(CountRule, MoreInNearlyEachStepIsSeenThroughAnIrregularStep) {
  EXPECT_EQ(judged({one_irregular(100, 20'000)}, {one_irregular(140, 20'000)}),
            Outcome::regression);
  EXPECT_EQ(judged({one_irregular(100, 0)}, {one_irregular(101, 0)}), Outcome::regression);
  EXPECT_EQ(judged({one_irregular(100, 20'000)}, {one_irregular(104, 20'000)}, 0.05),
            Outcome::pass);
  EXPECT_EQ(judged({one_irregular(100, 20'000)}, {one_irregular(140, 140)}), Outcome::pass)
      << "less in all";
}

TEST(CountRule, AShortStepInTheBaselineIsNoRegressionOfTheCandidate) {
  const CountedWork cut{.total = 50 + 19 * 100, .steps = 20, .least = 50, .most = 100};
  EXPECT_NE(judged({cut}, {plain(100)}), Outcome::regression);
}

TEST(CountRule, EveryRunOfTheCandidateMustRise) {
  EXPECT_EQ(judged({plain(100), plain(101)}, {plain(101), plain(101)}), Outcome::pass);
  EXPECT_EQ(judged({plain(100), plain(100)}, {plain(100), plain(101)}), Outcome::inconclusive);
  EXPECT_EQ(judged({plain(100), plain(100)}, {plain(101), plain(102)}), Outcome::regression);
}

}  // namespace
}  // namespace stepscope
