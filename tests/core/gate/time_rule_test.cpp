// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace stepscope {
namespace {

using testing::HasSubstr;

TimeOutcome judged(const TimeTest& test) {
  return judge_times({test}, 0.05).front();
}

TimeTest of(std::vector<double> baseline, std::vector<double> candidate) {
  return {.times = {std::move(baseline), std::move(candidate)}, .tolerance = 0.02};
}

TEST(TimeRule, SaysWhatTheRunsTell) {
  const TimeOutcome slower = judged(of({100, 101, 99}, {110, 111, 112}));
  EXPECT_EQ(slower.outcome, Outcome::regression);
  EXPECT_THAT(slower.why, HasSubstr("slower by 8.9 % at least"));
  const TimeOutcome same = judged(of({100, 101, 100.5}, {100.4, 101, 100}));
  EXPECT_EQ(same.outcome, Outcome::pass);
  EXPECT_THAT(same.why, HasSubstr("slower by 1.0 % at most"));
  EXPECT_THAT(judged(of({100, 101, 100.5}, {50, 51, 52})).why, HasSubstr("faster by 48.0 %"));
}

TEST(TimeRule, WhatItCannotTellIsInconclusiveAndSaysHowManyMoreRuns) {
  const TimeOutcome noisy = judged(of({100, 110, 90}, {95, 105, 86}));
  EXPECT_EQ(noisy.outcome, Outcome::inconclusive);
  ASSERT_TRUE(noisy.further_runs);
  EXPECT_GT(*noisy.further_runs, 0U);
  const TimeOutcome single = judged(of({100}, {100}));
  EXPECT_EQ(single.outcome, Outcome::inconclusive);
  EXPECT_EQ(single.further_runs, 4U);
  const TimeOutcome two = judged(of({100, 100}, {200, 200}));
  EXPECT_EQ(two.outcome, Outcome::inconclusive) << "two a side are 1 in 6 by chance";
  EXPECT_EQ(two.further_runs, 1U);
}

TEST(TimeRule, ValuesThatAreNoTimesNeverPass) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {nan, infinite, -1.0, 0.0}) {
    EXPECT_EQ(judged(of({100, 100, 100}, {100, wrong, 100})).outcome, Outcome::inconclusive);
    EXPECT_EQ(judged(of({100, wrong, 100}, {100, 100, 100})).outcome, Outcome::inconclusive);
  }
  EXPECT_EQ(judged(of({0, 0, 0}, {0, 0, 0})).outcome, Outcome::pass);
  EXPECT_EQ(judged(of({}, {})).outcome, Outcome::inconclusive);
}

TEST(TimeRule, ASlowClockIsNoRegressionAndAFastOneHidesNone) {
  TimeTest slow = of({100, 101, 99}, {110, 111, 109});
  slow.baseline_mhz = {1980, 1980, 1980};
  slow.candidate_mhz = {1800, 1800, 1800};
  EXPECT_EQ(judged(slow).outcome, Outcome::inconclusive);
  EXPECT_THAT(judged(slow).why, HasSubstr("the clock was -9.1 %"));
  TimeTest fast = of({100, 101, 99}, {100, 99, 101});
  fast.baseline_mhz = {1800, 1800, 1800};
  fast.candidate_mhz = {1980, 1980, 1980};
  EXPECT_EQ(judged(fast).outcome, Outcome::inconclusive);
  TimeTest both = of({100, 101, 99}, {140, 141, 139});
  both.baseline_mhz = slow.baseline_mhz;
  both.candidate_mhz = slow.candidate_mhz;
  EXPECT_EQ(judged(both).outcome, Outcome::regression) << "more than the clock explains";
  slow.candidate_mhz.pop_back();
  EXPECT_EQ(judged(slow).outcome, Outcome::regression) << "a clock is not known: time alone";
}

TEST(TimeRule, SeveralTimesShareTheLevel) {
  const TimeTest slower = of({100, 101, 99}, {110, 111, 112});
  const auto two = judge_times({slower, of({100, 101, 99}, {100, 101, 99})}, 0.05);
  EXPECT_EQ(two[0].outcome, Outcome::inconclusive) << "three a side are 1 in 20, not 1 in 40";
  EXPECT_EQ(two[0].further_runs, 1U);
}

}  // namespace
}  // namespace stepscope
