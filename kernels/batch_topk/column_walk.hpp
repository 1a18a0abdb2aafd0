// SPDX-License-Identifier: Apache-2.0
// How a grid of blocks walks over a matrix where a warp keeps its columns, whose terms it holds,
// from the last row up: what was read last, from the first row down, is read first, while a cache
// still has it.
//
// A strip is here some columns of a band of rows, and a WalkShape's rows are bands. Where workers
// can be dealt out to the groups of columns with little idleness, each has every n-th step of one
// group: the grid then reads one window that moves up. Else each has a contiguous share of steps,
// which may go on in the next group. Either way a worker has some runs, each within one group.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/walk.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

// Returns how many workers each group gets; 0 where the longest part would be a sixteenth above the
// mean.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t workers_of_group(const WalkShape& shape,
                                                               std::uint32_t workers) {
  const std::uint32_t share = shape.groups == 0 ? 0 : workers / shape.groups;
  if (share == 0) return 0;
  const std::int64_t longest = (shape.row_blocks + share - 1) / share;
  const std::int64_t mean = (shape.steps() + workers - 1) / workers;
  return longest <= mean + mean / 16 ? share : 0;
}

// Strips of one warp: from `column` on, of bands row, row - step, ... Both may lie outside of the
// matrix.
struct ColumnRun {
  std::uint32_t column = 0, row = 0, step = 0, count = 0;
};

class ColumnWalk {
 public:
  STEPSCOPE_HOST_DEVICE constexpr ColumnWalk(const WalkShape& shape, std::uint32_t worker,
                                             std::uint32_t workers)
      : ColumnWalk(shape, worker, workers, workers_of_group(shape, workers)) {}
  // share: workers_of_group(shape, workers).
  STEPSCOPE_HOST_DEVICE constexpr ColumnWalk(const WalkShape& shape, std::uint32_t worker,
                                             std::uint32_t workers, std::uint32_t share) {
    if (share > 0) {
      group_ = worker % shape.groups;
      inner_ = worker / shape.groups;
      stride_ = share;
      if (inner_ < share && inner_ < shape.row_blocks)
        left_ = (shape.row_blocks - inner_ + share - 1) / share;
    } else if (shape.steps() > 0) {
      const std::int64_t first = shape.steps() * worker / workers;
      left_ = static_cast<std::uint32_t>(shape.steps() * (worker + 1) / workers - first);
      group_ = static_cast<std::uint32_t>(first / shape.row_blocks);
      inner_ = static_cast<std::uint32_t>(first % shape.row_blocks);
    }
  }

  STEPSCOPE_HOST_DEVICE constexpr bool done() const { return left_ == 0; }
  // Requires a walk that is not done.
  STEPSCOPE_HOST_DEVICE constexpr ColumnRun run(const WalkShape& shape, std::uint32_t warp) const {
    return {(group_ * shape.across + warp % shape.across) * shape.strip_columns,
            (shape.row_blocks - 1 - inner_) * shape.down + warp / shape.across,
            stride_ * shape.down, count(shape)};
  }
  STEPSCOPE_HOST_DEVICE constexpr void advance(const WalkShape& shape) {
    left_ -= count(shape);
    ++group_;
    inner_ = 0;
  }

 private:
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t count(const WalkShape& shape) const {
    const std::uint32_t in_group = (shape.row_blocks - inner_ + stride_ - 1) / stride_;
    return left_ < in_group ? left_ : in_group;
  }

  std::uint32_t left_ = 0, group_ = 0, inner_ = 0, stride_ = 1;
};

}  // namespace stepscope::kernels
