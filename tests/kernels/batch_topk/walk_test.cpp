// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::kernels {
namespace {

constexpr std::uint32_t kStrip = 256;
constexpr std::uint32_t kWarps = 16;

// Returns how often each (row, strip) is visited by all warps of all workers.
template <WalkOrder kOrder>
std::vector<int> visits(const WalkShape& shape, std::int64_t workers) {
  const std::uint32_t strips = (shape.columns + kStrip - 1) / kStrip;
  std::vector<int> seen(std::size_t{shape.rows} * strips);
  for (std::int64_t worker = 0; worker < workers; ++worker)
    for (std::uint32_t warp = 0; warp < kWarps; ++warp)
      for (Walk<kOrder> walk(shape, worker, workers, warp); !walk.done(); walk.advance(shape))
        if (walk.inside(shape)) ++seen[std::size_t{walk.row()} * strips + walk.column() / kStrip];
  return seen;
}

template <WalkOrder kOrder>
std::int64_t steps_of(Walk<kOrder> walk, const WalkShape& shape) {
  std::int64_t steps = 0;
  for (; !walk.done(); walk.advance(shape)) ++steps;
  return steps;
}

template <WalkOrder kOrder>
void expect_each_strip_once() {
  for (const std::int64_t rows : {1, 7, 64})
    for (const std::int64_t columns : {1, 256, 257, 5000, 12288})
      for (const std::int64_t workers : {1, 5, 264}) {
        const std::vector<int> seen =
            visits<kOrder>(walk_shape(rows, columns, kStrip, kWarps), workers);
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::int64_t>(seen.size()))
            << rows << " x " << columns << " by " << workers;
      }
}

TEST(Walk, VisitsEachStripOfEachRowOnce) {
  expect_each_strip_once<WalkOrder::rows_first>();
  expect_each_strip_once<WalkOrder::columns_kept>();
}

template <WalkOrder kOrder>
void expect_equal_shares() {
  const WalkShape shape = walk_shape(1024, 49152, kStrip, kWarps);
  for (std::int64_t worker = 0; worker < 264; ++worker) {
    const std::int64_t steps = steps_of(Walk<kOrder>(shape, worker, 264, 0), shape);
    EXPECT_GE(steps, shape.steps() / 264);
    EXPECT_LE(steps, shape.steps() / 264 + 1);
  }
}

TEST(Walk, SharesDifferByOneStepAtMost) {
  expect_equal_shares<WalkOrder::rows_first>();
  expect_equal_shares<WalkOrder::columns_kept>();
}

TEST(WalkShape, IsAsWideAsItCanBeWithoutIdleWarps) {
  EXPECT_EQ(walk_shape(1024, 49152, kStrip, kWarps).across, 16U);
  EXPECT_EQ(walk_shape(1024, 1024, kStrip, kWarps).across, 4U);
  EXPECT_EQ(walk_shape(1024, 20, kStrip, kWarps).down, 16U);
}

TEST(Walk, AnEmptyMatrixHasNoSteps) {
  EXPECT_TRUE(Walk<WalkOrder::rows_first>(walk_shape(0, 100, kStrip, kWarps), 0, 1, 0).done());
  EXPECT_TRUE(Walk<WalkOrder::columns_kept>(walk_shape(100, 0, kStrip, kWarps), 0, 1, 0).done());
}

}  // namespace
}  // namespace stepscope::kernels
