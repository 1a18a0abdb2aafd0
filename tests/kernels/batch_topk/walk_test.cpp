// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::kernels {
namespace {

constexpr std::uint32_t kStrip = 256;
constexpr std::uint32_t kWarps = 16;

// How often each (row, strip) is visited by all warps of all workers.
std::vector<int> visits(const WalkShape& shape, std::int64_t workers) {
  const std::uint32_t strips = (shape.columns + kStrip - 1) / kStrip;
  std::vector<int> seen(std::size_t{shape.rows} * strips);
  for (std::int64_t worker = 0; worker < workers; ++worker)
    for (std::uint32_t warp = 0; warp < kWarps; ++warp)
      for (Walk walk(shape, worker, workers, warp); !walk.done(); walk.advance())
        if (walk.inside(shape)) ++seen[std::size_t{walk.row()} * strips + walk.column() / kStrip];
  return seen;
}

std::int64_t steps_of(Walk walk) {
  std::int64_t steps = 0;
  for (; !walk.done(); walk.advance()) ++steps;
  return steps;
}

TEST(Walk, VisitsEachStripOfEachRowOnce) {
  for (const WalkOrder order : {WalkOrder::rows_first, WalkOrder::columns_kept})
    for (const std::int64_t rows : {1, 7, 64})
      for (const std::int64_t columns : {1, 256, 257, 5000, 12288})
        for (const std::int64_t workers : {1, 5, 264}) {
          const std::vector<int> seen =
              visits(walk_shape(rows, columns, kStrip, kWarps, order), workers);
          EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::int64_t>(seen.size()))
              << rows << " x " << columns << " by " << workers;
        }
}

TEST(Walk, SharesDifferByOneStepAtMost) {
  for (const WalkOrder order : {WalkOrder::rows_first, WalkOrder::columns_kept}) {
    const WalkShape shape = walk_shape(1024, 49152, kStrip, kWarps, order);
    for (std::int64_t worker = 0; worker < 264; ++worker) {
      const std::int64_t steps = steps_of(Walk(shape, worker, 264, 0));
      EXPECT_GE(steps, shape.steps() / 264);
      EXPECT_LE(steps, shape.steps() / 264 + 1);
    }
  }
}

TEST(WalkShape, IsAsWideAsItCanBeWithoutIdleWarps) {
  EXPECT_EQ(walk_shape(1024, 49152, kStrip, kWarps, WalkOrder::rows_first).across, 16U);
  EXPECT_EQ(walk_shape(1024, 1024, kStrip, kWarps, WalkOrder::rows_first).across, 4U);
  EXPECT_EQ(walk_shape(1024, 20, kStrip, kWarps, WalkOrder::rows_first).down, 16U);
}

TEST(Walk, AnEmptyMatrixHasNoSteps) {
  EXPECT_TRUE(Walk(walk_shape(0, 100, kStrip, kWarps, WalkOrder::rows_first), 0, 1, 0).done());
  EXPECT_TRUE(Walk(walk_shape(100, 0, kStrip, kWarps, WalkOrder::columns_kept), 0, 1, 0).done());
}

}  // namespace
}  // namespace stepscope::kernels
