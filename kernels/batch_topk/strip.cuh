// SPDX-License-Identifier: Apache-2.0
// A strip: the keys that a warp looks at together, and where they lie. RowStrip is a part of one
// row. FlatStrip is a part of the matrix read as one long row, which it and its mask are where the
// columns are a multiple of 32: then a strip is found by its number alone.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"
#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

// With affine keys a warp keeps its columns, whose terms it holds.
template <bool kAffine>
using RowWalk = Walk<kAffine ? WalkOrder::columns_kept : WalkOrder::rows_first>;

template <class T, bool kAffine>
class RowStrip {
 public:
  using Layout = LaneLayout<T>;

  __device__ RowStrip(const Parameters& p, const RowWalk<kAffine>& walk)
      : p_(p), row_(walk.row()), column_(walk.column()) {}

  // The strip's first.
  __device__ std::uint32_t column() const { return column_; }
  // The bits of those of the lane's keys that lie within the matrix.
  __device__ std::uint32_t valid() const {
    return valid_keys<T>(p_.shape.columns - column_, lane_index());
  }
  // The number, row by row, of the lane's first key.
  __device__ std::uint64_t entry() const {
    return std::uint64_t{row_} * p_.shape.columns + column_ + lane_index() * Layout::kPerPiece;
  }
  // Called by the whole warp.
  __device__ void store(std::uint32_t bits) const {
    const std::uint32_t byte = column_ / 8;
    store_bits<T>(p_.mask + std::uint64_t{row_} * p_.mask_row_bytes + byte,
                  p_.mask_row_bytes - byte, bits, lane_index());
  }

 private:
  const Parameters& p_;
  const std::uint32_t row_, column_;
};

template <class T, int kPiecesOfLane>
class FlatStrip {
 public:
  using Layout = LaneLayout<T, kPiecesOfLane>;
  static constexpr std::uint32_t kPieces = kWarpSize * Layout::kPieces;
  static constexpr std::uint32_t kMaskBytes = Layout::kStripColumns / 8;

  // pieces of 16 bytes in the matrix.
  __device__ FlatStrip(const Parameters& p, std::uint32_t number, std::uint32_t pieces)
      : p_(p), number_(number), pieces_left_(pieces - number * kPieces) {}

  __device__ static std::uint32_t column() { return 0; }  // raw keys have no terms of columns
  __device__ std::uint32_t valid() const {
    if (pieces_left_ >= kPieces) return Layout::kAllKeys;
    std::uint32_t valid = 0;
#pragma unroll
    for (std::uint32_t piece = 0; piece < Layout::kPieces; ++piece)
      if (lane_index() + piece * kWarpSize < pieces_left_)
        valid |= ((1U << Layout::kPerPiece) - 1U) << (piece * Layout::kPerPiece);
    return valid;
  }
  __device__ std::uint64_t entry() const {
    return std::uint64_t{number_} * Layout::kStripColumns + lane_index() * Layout::kPerPiece;
  }
  __device__ void store(std::uint32_t bits) const {
    std::uint8_t* const bytes = p_.mask + std::uint64_t{number_} * kMaskBytes;
    if constexpr (kPiecesOfLane == 4)
      store_four_pieces<T>(bytes, pieces_left_, bits, lane_index());
    else
      store_bits<T>(bytes, min(pieces_left_, kPieces) * Layout::kPerPiece / 8, bits, lane_index());
  }

 private:
  const Parameters& p_;
  const std::uint32_t number_, pieces_left_;
};

}  // namespace stepscope::kernels::batch_topk_device
