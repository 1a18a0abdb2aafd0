// SPDX-License-Identifier: Apache-2.0
// How a grid of blocks walks over a matrix.
//
// A warp reads a strip at a time: some columns of one row. A block's warps stand side by side over
// `across` strips and `down` rows, across * down warps: one step. Steps are numbered row after row,
// or down the columns first, and every worker takes an equal share of them: every `workers`-th, so
// that the grid reads one moving window, or a contiguous run, so that a warp keeps its columns.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

enum class WalkOrder { rows_first, columns_kept };

struct WalkShape {
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t strip_columns = 1;
  std::uint32_t across = 1, down = 1;
  std::uint32_t groups = 0;      // groups of `across` strips
  std::uint32_t row_blocks = 0;  // blocks of `down` rows

  STEPSCOPE_HOST_DEVICE constexpr std::int64_t steps() const {
    return std::int64_t{groups} * row_blocks;
  }
};

// Returns a walk as wide as the matrix allows: the least idle warps, and among equals the widest.
constexpr WalkShape walk_shape(std::int64_t rows, std::int64_t columns, std::uint32_t strip_columns,
                               std::uint32_t warps) {
  WalkShape shape;
  shape.rows = static_cast<std::uint32_t>(rows);
  shape.columns = static_cast<std::uint32_t>(columns);
  shape.strip_columns = strip_columns;
  const auto strips = static_cast<std::uint32_t>((columns + strip_columns - 1) / strip_columns);
  std::uint32_t least_strips = 0xffffffffU;
  for (std::uint32_t across = warps; across > 0; across /= 2) {
    const std::uint32_t groups = (strips + across - 1) / across;
    if (groups * across >= least_strips) continue;
    least_strips = groups * across;
    shape.across = across;
    shape.groups = groups;
  }
  shape.down = warps / shape.across;
  shape.row_blocks = (shape.rows + shape.down - 1) / shape.down;
  return shape;
}

// Where one warp of one worker stands, step by step. Its strip may lie outside of the matrix, where
// the last step of a row or column is not full. The order is known when compiled: what does not
// change is then read from the shape and takes no registers.
template <WalkOrder kOrder>
class Walk {
 public:
  STEPSCOPE_HOST_DEVICE constexpr Walk(const WalkShape& shape, std::int64_t worker,
                                       std::int64_t workers, std::uint32_t warp) {
    const std::int64_t steps = shape.steps();
    const std::int64_t first = kKept ? steps * worker / workers : worker;
    const std::int64_t stride = kKept ? 1 : workers;
    const std::int64_t end = kKept ? steps * (worker + 1) / workers : steps;
    if (first >= end) return;
    left_ = static_cast<std::uint32_t>((end - first + stride - 1) / stride);
    inner_step_ = static_cast<std::uint32_t>(stride % inner_size(shape));
    outer_step_ = static_cast<std::uint32_t>(stride / inner_size(shape));
    const auto outer = static_cast<std::uint32_t>(first / inner_size(shape));
    inner_ = static_cast<std::uint32_t>(first % inner_size(shape));
    row_ = (kKept ? inner_ : outer) * shape.down + warp / shape.across;
    column_ = (kKept ? outer : inner_) * width(shape) + warp % shape.across * shape.strip_columns;
  }

  STEPSCOPE_HOST_DEVICE constexpr bool done() const { return left_ == 0; }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t row() const { return row_; }
  // The strip's first.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t column() const { return column_; }
  STEPSCOPE_HOST_DEVICE constexpr bool inside(const WalkShape& shape) const {
    return row_ < shape.rows && column_ < shape.columns;
  }
  // Advances, but not past the end.
  STEPSCOPE_HOST_DEVICE constexpr void advance(const WalkShape& shape) {
    --left_;
    if constexpr (kKept) {
      ++inner_;
      row_ += shape.down;
      if (inner_ < shape.row_blocks) return;
      inner_ = 0;
      row_ -= shape.row_blocks * shape.down;
      column_ += width(shape);
    } else {
      inner_ += inner_step_;
      row_ += outer_step_ * shape.down;
      column_ += inner_step_ * width(shape);
      if (inner_ < shape.groups) return;
      inner_ -= shape.groups;
      row_ += shape.down;
      column_ -= shape.groups * width(shape);
    }
  }

 private:
  static constexpr bool kKept = kOrder == WalkOrder::columns_kept;

  STEPSCOPE_HOST_DEVICE static constexpr std::uint32_t inner_size(const WalkShape& shape) {
    return kKept ? shape.row_blocks : shape.groups;
  }
  STEPSCOPE_HOST_DEVICE static constexpr std::uint32_t width(const WalkShape& shape) {
    return shape.across * shape.strip_columns;
  }

  std::uint32_t left_ = 0, row_ = 0, column_ = 0, inner_ = 0;
  std::uint32_t inner_step_ = 0, outer_step_ = 0;
};

}  // namespace stepscope::kernels
