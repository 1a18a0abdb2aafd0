// SPDX-License-Identifier: Apache-2.0
#include "core/gate/further_runs.hpp"

#include <gtest/gtest.h>

#include <random>

#include "core/gate/rules.hpp"

namespace stepscope {
namespace {

TEST(FurtherRuns, AtLeastAsManyAsTheLevelNeeds) {
  EXPECT_EQ(further_runs({{100, 100}, {101, 101}}, 0.02, 0.05), 1U);
  EXPECT_EQ(further_runs({{100, 100}, {101, 101}}, 0.02, 0.02), 2U);
  EXPECT_EQ(further_runs({{100, 100}, {101, 101}, true}, 0.02, 0.05), 3U);
}

TEST(FurtherRuns, NoNumberWhereTheRatioIsTheTolerance) {
  EXPECT_FALSE(further_runs({{100, 101, 99}, {102, 103, 101}}, 0.02, 0.05));
}

// What is asked for decides: with so many runs, four in five experiments decide.
TEST(FurtherRuns, AreEnough) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise(1, 0.02);
  RatioSample few;
  for (int i = 0; i < 4; ++i) {
    const double time = 100 + (i - 1.5) * 1.549;  // 2 % standard deviation
    few.baseline.push_back(time);
    few.candidate.push_back(0.995 * time);
  }
  const auto more = further_runs(few, 0.02, 0.05);
  ASSERT_TRUE(more);
  int decided = 0;
  for (int trial = 0; trial < 500; ++trial) {
    RatioSample sample;
    for (std::size_t i = 0; i < 4 + *more; ++i) {
      sample.baseline.push_back(100 * noise(random));
      sample.candidate.push_back(99.5 * noise(random));
    }
    decided += judge_times({{.times = sample, .tolerance = 0.02}}, 0.05)[0].outcome == Outcome::pass
                   ? 1
                   : 0;
  }
  EXPECT_GT(decided, 375) << "asked for " << *more;
}

}  // namespace
}  // namespace stepscope
