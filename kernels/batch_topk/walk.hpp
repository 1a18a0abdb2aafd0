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
  std::uint32_t groups = 0;      // of `across` strips
  std::uint32_t row_blocks = 0;  // of `down` rows
  WalkOrder order = WalkOrder::rows_first;

  STEPSCOPE_HOST_DEVICE constexpr std::int64_t steps() const {
    return std::int64_t{groups} * row_blocks;
  }
};

// As wide as the matrix allows: the least idle warps, and among equals the widest.
constexpr WalkShape walk_shape(std::int64_t rows, std::int64_t columns, std::uint32_t strip_columns,
                               std::uint32_t warps, WalkOrder order) {
  WalkShape shape;
  shape.rows = static_cast<std::uint32_t>(rows);
  shape.columns = static_cast<std::uint32_t>(columns);
  shape.strip_columns = strip_columns;
  shape.order = order;
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
// the last step of a row or column is not full.
class Walk {
 public:
  STEPSCOPE_HOST_DEVICE constexpr Walk(const WalkShape& shape, std::int64_t worker,
                                       std::int64_t workers, std::uint32_t warp) {
    const bool kept = shape.order == WalkOrder::columns_kept;
    const std::int64_t steps = shape.steps();
    const std::int64_t first = kept ? steps * worker / workers : worker;
    const std::int64_t stride = kept ? 1 : workers;
    const std::int64_t end = kept ? steps * (worker + 1) / workers : steps;
    if (first >= end) return;
    left_ = static_cast<std::uint32_t>((end - first + stride - 1) / stride);
    inner_size_ = kept ? shape.row_blocks : shape.groups;
    inner_step_ = static_cast<std::uint32_t>(stride % inner_size_);
    const auto outer_step = static_cast<std::uint32_t>(stride / inner_size_);
    const auto outer = static_cast<std::uint32_t>(first / inner_size_);
    inner_ = static_cast<std::uint32_t>(first % inner_size_);
    const std::uint32_t width = shape.across * shape.strip_columns;
    row_ = (kept ? inner_ : outer) * shape.down + warp / shape.across;
    column_ = (kept ? outer : inner_) * width + warp % shape.across * shape.strip_columns;
    row_step_ = (kept ? inner_step_ : outer_step) * shape.down;
    column_step_ = (kept ? outer_step : inner_step_) * width;
    row_carry_ = kept ? 0U - inner_size_ * shape.down : shape.down;
    column_carry_ = kept ? width : 0U - inner_size_ * width;
  }

  STEPSCOPE_HOST_DEVICE constexpr bool done() const { return left_ == 0; }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t row() const { return row_; }
  // The strip's first.
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t column() const { return column_; }
  STEPSCOPE_HOST_DEVICE constexpr bool inside(const WalkShape& shape) const {
    return row_ < shape.rows && column_ < shape.columns;
  }
  // Not past the end.
  STEPSCOPE_HOST_DEVICE constexpr void advance() {
    --left_;
    inner_ += inner_step_;
    row_ += row_step_;
    column_ += column_step_;
    if (inner_ < inner_size_) return;
    inner_ -= inner_size_;
    row_ += row_carry_;
    column_ += column_carry_;
  }

 private:
  std::uint32_t left_ = 0, row_ = 0, column_ = 0, inner_ = 0;
  std::uint32_t inner_size_ = 1, inner_step_ = 0;
  // The carries are added, modulo 2^32, where the inner number wraps.
  std::uint32_t row_step_ = 0, column_step_ = 0, row_carry_ = 0, column_carry_ = 0;
};

}  // namespace stepscope::kernels
