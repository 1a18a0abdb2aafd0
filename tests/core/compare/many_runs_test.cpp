// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/compare/sample_sides.hpp"

namespace stepscope {
namespace {

Summary run_of(std::int64_t ns) {
  return side_of_cells({{.ns = ns, .calls = 10}});
}

TEST(ManyRuns, TheMiddleRunStandsForItsSide) {
  const Comparison c = compare_runs({run_of(1'000), run_of(1'010), run_of(9'000)},
                                    {run_of(1'100), run_of(1'110), run_of(1'120)});
  EXPECT_EQ(c.a.runs, 3U);
  EXPECT_EQ(c.a.wall_ns_total, 1'010);
  EXPECT_EQ(c.b.wall_ns_total, 1'110);
  EXPECT_EQ(c.delta_ns_total, 100);
}

TEST(ManyRuns, TheRangeIsOverAllPairs) {
  const Comparison c = compare_runs({run_of(1'000), run_of(1'020)}, {run_of(1'100), run_of(1'200)});
  ASSERT_TRUE(c.range_ns_per_step);
  EXPECT_DOUBLE_EQ(c.range_ns_per_step->first, 8);
  EXPECT_DOUBLE_EQ(c.range_ns_per_step->second, 20);
  ASSERT_TRUE(c.causes.at(0).range_ns_per_step);
  EXPECT_DOUBLE_EQ(c.causes[0].range_ns_per_step->second, 20);
}

// A phase that B calls otherwise, a line that moved, and a kernel of another name: each row's range
// is over its own work in all runs.
TEST(ManyRuns, EveryRowHasTheRangeOfItsWork) {
  const auto before = [](std::int64_t first, std::int64_t second) {
    return side_of_cells(
        {{.phase = "train/forward", .ns = first, .calls = 10},
         {.phase = "loss", .line = 30, .operation = "sum", .ns = second, .calls = 10}});
  };
  const auto after = [](std::int64_t first, std::int64_t second) {
    return side_of_cells(
        {{.phase = "step/forward", .line = 14, .ns = first, .calls = 10},
         {.phase = "loss", .line = 34, .operation = "sum2", .ns = second, .calls = 10}});
  };
  const Comparison c = compare_runs({before(1'000, 500), before(1'020, 480)},
                                    {after(1'100, 500), after(1'200, 300)});
  ASSERT_EQ(c.phases.size(), 2U);
  ASSERT_EQ(c.lines.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool forward = c.phases[i].path == "step/forward";
    const std::pair<double, double> expected =
        forward ? std::pair(8.0, 20.0) : std::pair(-20.0, 2.0);
    EXPECT_EQ(*c.phases[i].range_ns_per_step, expected) << c.phases[i].path;
    const bool line = c.lines[i].line == 14;
    EXPECT_EQ(*c.lines[i].range_ns_per_step, line ? std::pair(8.0, 20.0) : std::pair(-20.0, 2.0));
  }
  ASSERT_FALSE(c.parts.empty());
  for (const DeltaPart& part : c.parts)
    EXPECT_EQ(*part.group_range_ns_per_step,
              part.line == 14 ? std::pair(8.0, 20.0) : std::pair(-20.0, 2.0));
}

TEST(ManyRuns, PerSampleTheRangeIsOfTheSmallerBatch) {
  const CompareOptions options{.a_samples = 32, .b_samples = 64};
  const Comparison c =
      compare_runs({run_of(1'000), run_of(1'020)}, {run_of(2'200), run_of(2'400)}, options);
  ASSERT_TRUE(c.range_ns_per_step);
  EXPECT_DOUBLE_EQ(c.range_ns_per_step->first, 8);
  EXPECT_DOUBLE_EQ(c.range_ns_per_step->second, 20);
}

// The difference that is shown is one of the pairs, so it lies in its range, row by row.
TEST(ManyRuns, WhatIsShownLiesInItsRange) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<Summary> a, b;
    for (std::uint32_t run = 0; run < 3; ++run) {
      const RandomCase of_a = RandomAttribution(seed * 10 + run).make();
      const RandomCase of_b = RandomAttribution(5'000 + seed * 10 + run).make();
      a.push_back(summarize(of_a.trace, of_a.steps, of_a.attribution));
      b.push_back(summarize(of_b.trace, of_b.steps, of_b.attribution));
    }
    const Comparison c = compare_runs(a, b);
    if (c.steps == 0) continue;
    const auto expect_inside = [&](const DeltaRange& range, std::int64_t delta_ns) {
      ASSERT_TRUE(range);
      const double rounding = 2;  // scaled tables are rounded
      EXPECT_LE(range->first, c.per_step(delta_ns) + rounding);
      EXPECT_GE(range->second, c.per_step(delta_ns) - rounding);
    };
    for (const CauseDelta& row : c.causes) expect_inside(row.range_ns_per_step, row.delta_ns());
    for (const PhaseDelta& row : c.phases) expect_inside(row.range_ns_per_step, row.delta_ns());
    for (const LineDelta& row : c.lines) expect_inside(row.range_ns_per_step, row.delta_ns());
    std::map<std::uint32_t, std::int64_t> groups;
    for (const DeltaPart& part : c.parts) groups[part.group] += part.delta_ns;
    for (const DeltaPart& part : c.parts)
      expect_inside(part.group_range_ns_per_step, groups[part.group]);
  }
}

TEST(ManyRuns, OneRunASideHasNoRange) {
  const Comparison c = compare_runs({run_of(1'000)}, {run_of(1'100)});
  EXPECT_FALSE(c.range_ns_per_step);
  EXPECT_FALSE(c.causes.at(0).range_ns_per_step);
}

}  // namespace
}  // namespace stepscope
