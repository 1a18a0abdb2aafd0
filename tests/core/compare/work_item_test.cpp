// SPDX-License-Identifier: Apache-2.0
#include "core/compare/work_item.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

TEST(WorkItem, AtTheSameNumberOfStepsEveryIntegerStays) {
  const ScaledSide side = scale(side_of_cells({{.ns = 7, .calls = 3}, {.line = 11, .ns = 5}}), 1);
  ASSERT_EQ(side.items.size(), 2U);
  EXPECT_EQ(side.items[0].ns, 7);
  EXPECT_EQ(side.items[1].ns, 5);
  EXPECT_EQ(side.wall_ns, 12);
}

TEST(WorkItem, ScaledTimesStillSumToTheScaledTotal) {
  const ScaledSide side =
      scale(side_of_cells({{.ns = 7}, {.line = 11, .ns = 7}, {.line = 12, .ns = 7}}), 1.0 / 3);
  EXPECT_EQ(side.wall_ns, 7);
  EXPECT_EQ(side.items[0].ns + side.items[1].ns + side.items[2].ns, 7);
}

TEST(WorkItem, CellsOfADevicesOwnPartitionAreLeftOut) {
  Summary summary = side_of_cells({{.ns = 7}});
  summary.cells.push_back(summary.cells.front());
  summary.cells.back().device = 0;
  EXPECT_EQ(scale(summary, 1).items.size(), 1U);
}

TEST(WorkItem, OnlyWaitingIsIdle) {
  EXPECT_TRUE(is_idle_cause(Cause::host_python));
  EXPECT_TRUE(is_idle_cause(Cause::host_sync_return));
  EXPECT_FALSE(is_idle_cause(Cause::gpu_gemm));
  EXPECT_FALSE(is_idle_cause(Cause::host_compute_gemm));
}

}  // namespace
}  // namespace stepscope::compare_parts
