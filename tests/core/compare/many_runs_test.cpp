// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

TEST(ManyRuns, OneRunASideHasNoRange) {
  EXPECT_FALSE(compare_runs({run_of(1'000)}, {run_of(1'100)}).range_ns_per_step);
}

}  // namespace
}  // namespace stepscope
