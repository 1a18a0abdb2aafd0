// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/column_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::kernels {
namespace {

constexpr std::uint32_t kStrip = 256;
constexpr std::uint32_t kWarps = 16;
constexpr std::uint32_t kBlocks = 264;

// visit(strip of the walk's run, band) for all strips of one warp of one worker.
template <class Visit>
void for_each_strip(const WalkShape& shape, std::uint32_t worker, std::uint32_t workers,
                    std::uint32_t warp, Visit visit) {
  for (ColumnWalk walk(shape, worker, workers); !walk.done(); walk.advance(shape)) {
    const ColumnRun run = walk.run(shape, warp);
    std::uint32_t row = run.row;
    for (std::uint32_t i = 0; i < run.count; ++i, row -= run.step)
      if (row < shape.rows && run.column < shape.columns) visit(run.column, row);
  }
}

TEST(ColumnWalk, VisitsEachStripOfEachBandOnce) {
  for (const std::int64_t bands : {1, 7, 64, 256})
    for (const std::int64_t columns : {1, 256, 257, 5000, 12288, 49152})
      for (const std::uint32_t workers : {1U, 5U, 264U}) {
        const WalkShape shape = walk_shape(bands, columns, kStrip, kWarps);
        const auto strips = static_cast<std::size_t>((columns + kStrip - 1) / kStrip);
        std::vector<int> seen(static_cast<std::size_t>(bands) * strips);
        for (std::uint32_t worker = 0; worker < workers; ++worker)
          for (std::uint32_t warp = 0; warp < kWarps; ++warp)
            for_each_strip(shape, worker, workers, warp,
                           [&](std::uint32_t column, std::uint32_t row) {
                             ++seen[row * strips + column / kStrip];
                           });
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::int64_t>(seen.size()))
            << bands << " x " << columns << " by " << workers;
      }
}

std::int64_t steps_of(const WalkShape& shape, std::uint32_t worker, std::int64_t* runs) {
  std::int64_t steps = 0;
  *runs = 0;
  for (ColumnWalk walk(shape, worker, kBlocks); !walk.done(); walk.advance(shape), ++*runs)
    steps += walk.run(shape, 0).count;
  return steps;
}

// Where each worker stays in its group.
TEST(ColumnWalk, DealsWorkersOutToGroupsWhereThatIsEven) {
  const WalkShape shape = walk_shape(256, 49152, kStrip, kWarps);
  EXPECT_EQ(workers_of_group(shape, kBlocks), 22U);
  for (std::uint32_t worker = 0; worker < kBlocks; ++worker) {
    std::int64_t runs = 0;
    EXPECT_GE(steps_of(shape, worker, &runs), shape.steps() / kBlocks);
    EXPECT_LE(steps_of(shape, worker, &runs), shape.steps() / kBlocks + 1);
    EXPECT_EQ(runs, 1);
  }
}

TEST(ColumnWalk, SharesOfManyGroupsDifferByOneStepAtMost) {
  const WalkShape shape = walk_shape(256, 589824, kStrip, kWarps);
  EXPECT_EQ(workers_of_group(shape, kBlocks), 0U);
  for (std::uint32_t worker = 0; worker < kBlocks; ++worker) {
    std::int64_t runs = 0;
    EXPECT_GE(steps_of(shape, worker, &runs), shape.steps() / kBlocks);
    EXPECT_LE(steps_of(shape, worker, &runs), shape.steps() / kBlocks + 1);
    EXPECT_LE(runs, 2);
  }
}

// All first steps together are the last rows, all columns of them.
TEST(ColumnWalk, BeginsWithTheLastRows) {
  const WalkShape shape = walk_shape(256, 49152, kStrip, kWarps);
  for (std::uint32_t worker = 0; worker < kBlocks; ++worker)
    EXPECT_GE(ColumnWalk(shape, worker, kBlocks).run(shape, 0).row, 256U - 22U);
}

TEST(ColumnWalk, AnEmptyMatrixHasNoRuns) {
  EXPECT_TRUE(ColumnWalk(walk_shape(0, 100, kStrip, kWarps), 0, 1).done());
  EXPECT_TRUE(ColumnWalk(walk_shape(100, 0, kStrip, kWarps), 0, 1).done());
}

}  // namespace
}  // namespace stepscope::kernels
