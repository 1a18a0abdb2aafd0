// SPDX-License-Identifier: Apache-2.0
// Changes of level in series of known noise, and what a history of results makes of them.
#include "core/gate/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/gate/change_points.hpp"
#include "tests/core/gate/sample_runs.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

// Levels as (length, value), with noise and now and then a slow outlier.
std::vector<double> noisy_series(const std::vector<std::pair<int, double>>& levels, unsigned seed,
                                 double deviation = 0.01, double slow_share = 0.05) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, deviation);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> out;
  for (const auto& [length, value] : levels)
    for (int i = 0; i < length; ++i)
      out.push_back(value * noise(random) *
                    (unit(random) < slow_share ? 1.03 + 0.07 * unit(random) : 1));
  return out;
}

TEST(ChangePoints, ALevelThatStaysHasNone) {
  int alarms = 0;
  for (unsigned seed = 0; seed < 300; ++seed)
    alarms += change_points(noisy_series({{30, 100}}, seed), 0.01).empty() ? 0 : 1;
  EXPECT_LE(alarms, 9) << "one in a hundred is the level";
}

TEST(ChangePoints, AChangeIsFoundWhereItIs) {
  int found = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto changes = change_points(noisy_series({{20, 100}, {20, 105}}, seed), 0.001);
    found += changes.size() == 1 && changes[0].at >= 18 && changes[0].at <= 22 ? 1 : 0;
  }
  EXPECT_GE(found, 45);
}

TEST(ChangePoints, SeveralChangesComeInOrder) {
  const auto changes = change_points(noisy_series({{15, 100}, {15, 120}, {15, 90}}, 3), 0.001);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].at, 15U);
  EXPECT_EQ(changes[1].at, 30U);
  EXPECT_LE(changes[0].chance, 0.001);
}

TEST(ChangePoints, TellsHowManyValuesALevelTakes) {
  EXPECT_EQ(shortest_series(0.001), 15U);
  EXPECT_FALSE(fewest_of_level(14, 0.001));
  EXPECT_EQ(fewest_of_level(20, 0.001), 4U);
  EXPECT_EQ(fewest_of_level(400, 0.001), 3U);
  std::vector<double> clean(20, 40);
  for (std::size_t i = 14; i < 20; ++i) clean[i] = 80;
  EXPECT_EQ(change_points(clean, 0.001).size(), 1U);
}

TEST(ChangePoints, EqualValuesAndShortSeriesHaveNone) {
  EXPECT_TRUE(change_points(std::vector<double>(50, 3.0), 0.05).empty());
  EXPECT_TRUE(change_points({1, 2, 3, 100, 101}, 0.05).empty());
  EXPECT_TRUE(change_points({}, 0.05).empty());
}

std::vector<HistoryResult> history_of(const std::vector<double>& step_ms) {
  std::vector<HistoryResult> out;
  for (const Summary& run : gate_samples::runs(step_ms)) {
    out.push_back({"r" + std::to_string(out.size()), {run}});
  }
  return out;
}

History judged(const std::vector<HistoryResult>& results, std::size_t recent = 10) {
  return judge_history({.metrics = {*parse_metric("step_time")}, .recent = recent}, results);
}

TEST(History, ARecentRiseIsARegressionAndNamesItsResult) {
  const auto results = history_of(noisy_series({{20, 40}, {8, 42}}, 5, 0.005, 0));
  const History history = judged(results);
  EXPECT_EQ(history.outcome, Outcome::regression);
  EXPECT_EQ(history.metrics[0].why, "rose with r20");
  ASSERT_EQ(history.metrics[0].changes.size(), 1U);
  EXPECT_NEAR(history.metrics[0].changes[0].after / history.metrics[0].changes[0].before, 1.05,
              0.01);
  EXPECT_EQ(judged(results, 5).outcome, Outcome::pass) << "known for longer than that";
}

TEST(History, ManySmallRisesAddUp) {
  const History history =
      judged(history_of(noisy_series({{10, 40}, {10, 40.6}, {10, 41.3}}, 9, 0.002, 0)), 30);
  EXPECT_EQ(history.metrics[0].changes.size(), 2U);
  EXPECT_EQ(history.outcome, Outcome::regression) << "3 % since the first, 1.6 % each";
}

TEST(History, ARiseThatWasTakenBackPasses) {
  const auto results = history_of(noisy_series({{12, 40}, {8, 44}, {8, 40}}, 2, 0.003, 0));
  const History history = judged(results, 20);
  EXPECT_EQ(history.metrics[0].changes.size(), 2U);
  EXPECT_EQ(history.outcome, Outcome::pass);
}

TEST(History, AnotherDevicesResultsAreLeftOut) {
  auto results = history_of(noisy_series({{10, 30}, {20, 40}}, 4, 0.003, 0));
  for (std::size_t i = 0; i < 10; ++i) results[i].runs[0].run.device = "NVIDIA A100-SXM4-40GB";
  const History history = judged(results);
  EXPECT_EQ(history.outcome, Outcome::pass);
  EXPECT_THAT(history.metrics[0].points[0].left_out, HasSubstr("NVIDIA A100"));
  EXPECT_FALSE(history.metrics[0].points[0].value);
}

TEST(History, TooFewResultsAreInconclusive) {
  EXPECT_EQ(judged(history_of({40, 40, 80, 80, 80})).outcome, Outcome::inconclusive);
  EXPECT_EQ(judged({}).outcome, Outcome::inconclusive);
  const History fourteen = judged(history_of(noisy_series({{7, 40}, {7, 80}}, 3, 0.003, 0)));
  EXPECT_EQ(fourteen.outcome, Outcome::inconclusive) << "a doubling is no pass";
  EXPECT_THAT(fourteen.metrics[0].why, HasSubstr("1 more is needed"));
}

TEST(History, ADoublingOfTheNewestResultsIsNoPass) {
  const History history = judged(history_of(noisy_series({{17, 40}, {3, 80}}, 3, 0.003, 0)));
  EXPECT_EQ(history.outcome, Outcome::inconclusive);
  EXPECT_THAT(history.metrics[0].why, HasSubstr("the last 3 results lie beyond the tolerance"));
  EXPECT_THAT(history.metrics[0].why, HasSubstr("1 more would"));
}

}  // namespace
}  // namespace stepscope
