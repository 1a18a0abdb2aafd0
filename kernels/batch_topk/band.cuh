// SPDX-License-Identifier: Apache-2.0
// Bands: strips of several rows and few columns, for keys with terms of their column. A lane has
// eight columns of each row, so it holds the terms of eight columns for all that it reads, and
// four pieces of 16 bytes a strip: of four rows where keys have 16 bits, of two where they have 32.
// Key i of a lane is of piece i / keys a piece, and piece j of row j / pieces a row.
//
// For rows that begin at multiples of 16 bytes: a piece lies within the matrix or outside.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/column_walk.hpp"
#include "kernels/batch_topk/strip_stream.cuh"

namespace stepscope::kernels::batch_topk_device {

template <class T>
struct BandLayout {
  static constexpr int kPiecesOfRow = sizeof(T) == 2 ? 1 : 2;
  static constexpr int kRows = 4 / kPiecesOfRow;
  using Row = LaneLayout<T, kPiecesOfRow>;
  using Lane = LaneLayout<T, 4>;
  static constexpr std::uint32_t kColumns = Row::kStripColumns;
};
static_assert(BandLayout<Bfloat16>::kColumns == 256 && BandLayout<float>::kColumns == 256);

template <class T>
constexpr WalkShape band_shape(std::uint32_t rows, std::uint32_t columns) {
  constexpr std::uint32_t kRows = BandLayout<T>::kRows;
  return walk_shape((rows + kRows - 1) / kRows, columns, BandLayout<T>::kColumns, kWarps);
}

template <class T>
struct BandWords : RingWords<T, 4> {
  std::uint32_t columns;  // columns of the matrix

  __device__ explicit BandWords(const RingWords<T, 4>& words, std::uint32_t matrix_columns)
      : RingWords<T, 4>(words), columns(matrix_columns) {}
  __device__ std::uint64_t offset(std::uint32_t i) const {
    using Row = typename BandLayout<T>::Row;
    return std::uint64_t{i / Row::kKeys} * columns + Row::column(0, i % Row::kKeys);
  }
};

template <class T>
class BandStrip {
 public:
  using Layout = BandLayout<T>;
  using Row = typename Layout::Row;

  // whole: lies within the matrix; mask: place_in_mask().
  __device__ BandStrip(const Parameters& p, std::uint32_t row, std::uint32_t column, bool whole,
                       std::uint8_t* mask)
      : p_(p), row_(row), column_(column), whole_(whole), mask_(mask) {}

  // Returns the place in the mask of the bits that the lane stores.
  __device__ static std::uint8_t* place_in_mask(const Parameters& p, std::uint32_t row,
                                                std::uint32_t column) {
    return p.mask + (std::uint64_t{row + stored_row()} * p.mask_row_bytes + stored_byte(column));
  }

  __device__ std::uint32_t column() const { return column_; }
  __device__ std::uint64_t entry() const {
    return std::uint64_t{row_} * p_.shape.columns + column_ + lane_index() * Row::kPerPiece;
  }
  __device__ std::uint32_t valid() const {
    if (whole_) return Layout::Lane::kAllKeys;
    std::uint32_t valid = 0;
#pragma unroll
    for (int piece = 0; piece < Layout::Lane::kPieces; ++piece)
      if (row_ + row_of(piece) < p_.shape.rows &&
          column_ + column_of(piece) + lane_index() * Row::kPerPiece < p_.shape.columns)
        valid |= ((1U << Row::kPerPiece) - 1U) << (piece * Row::kPerPiece);
    return valid;
  }
  // Called by the whole warp.
  __device__ void store(std::uint32_t bits) const {
    bits = bits_of_one_piece<T>(bits, lane_index());
    if (whole_ || (row_ + stored_row() < p_.shape.rows && stored_byte(column_) < p_.mask_row_bytes))
      *reinterpret_cast<Bits*>(mask_) = static_cast<Bits>(bits);
  }

  __device__ static std::uint32_t row_of(int piece) {
    return static_cast<std::uint32_t>(piece / Layout::kPiecesOfRow);
  }
  __device__ static std::uint32_t column_of(int piece) {
    return static_cast<std::uint32_t>(piece % Layout::kPiecesOfRow * Row::kPartColumns);
  }

 private:
  using Bits = BitsOfOnePiece<T>;

  __device__ static int stored_piece() {
    return static_cast<int>(lane_index() % 4);
  }
  __device__ static std::uint32_t stored_row() {
    return row_of(stored_piece());
  }
  __device__ static std::uint32_t stored_byte(std::uint32_t column) {
    return (column + column_of(stored_piece())) / 8 + lane_index() / 4 * sizeof(Bits);
  }

  const Parameters& p_;
  const std::uint32_t row_, column_;
  const bool whole_;
  std::uint8_t* const mask_;
};

// The counterpart of RowRing for bands. A warp's loop keeps little, and the rest is computed again
// where a run ends, because registers are short. The loop is issue-bound, so whether a run's bands
// lie within the matrix is tested once a run, and places move by one multiplication a band.
template <class T, int kBytes>
class BandRing {
 public:
  using Layout = BandLayout<T>;
  using Strip = BandStrip<T>;
  using Slots = RingSlots<T, kBytes, 4>;

  __device__ BandRing(const Parameters& p, uint4* ring) : p_(p), slots_(ring) { begin_run(); }

  // Has the L2 cache read some bands behind those in the ring, a lane a row.
  __device__ void prefetch(std::uint32_t bands) const {
    if (lane_index() >= Layout::kRows || column_ >= p_.shape.columns) return;
    const std::uint32_t width = min(Layout::kColumns, p_.shape.columns - column_);
    std::uint32_t row = row_ + rows_down(Slots::kStages) + lane_index();
    for (std::uint32_t left = left_; bands > 0 && left > Slots::kStages; --left, --bands) {
      if (row < p_.shape.rows)
        prefetch_to_l2(key(row, column_), width * static_cast<std::uint32_t>(sizeof(T)));
      row += rows_down(1);
    }
  }

  // move_to(column) before the strips from a column on, visit(strip, words) for each strip of the
  // warp.
  template <class MoveTo, class Visit>
  __device__ void run(MoveTo move_to, Visit visit) {
    while (left_ > 0) {
      if (column_ < p_.shape.columns) move_to(column_);
      for (; left_ > 0; --left_) {
        wait_for_copies<Slots::kStages - 1>();
        if (whole_ || (row_ < p_.shape.rows && column_ < p_.shape.columns))
          visit(Strip(p_, row_, column_, whole_, mask_),
                BandWords<T>(slots_.read(), p_.shape.columns));
        copy_next(left_ > Slots::kStages, row_ + rows_down(Slots::kStages));
        row_ += rows_down(1);
        mask_ += down(p_.mask_row_bytes);
      }
      ++runs_;
      begin_run();
    }
    wait_for_copies<0>();
  }

 private:
  // Returns the rows from one band of the run to a later one; modulo 2^32.
  __device__ std::uint32_t rows_down(std::uint32_t bands) const {
    return bands * static_cast<std::uint32_t>(step_);
  }
  // Returns the distance from one band to the next where a row has so much; less than 2^31: one
  // instruction.
  __device__ std::int64_t down(std::uint32_t of_row) const {
    return std::int64_t{step_} * static_cast<std::int32_t>(of_row);
  }
  __device__ const T* key(std::uint32_t row, std::uint32_t column) const {
    return static_cast<const T*>(p_.keys) + (std::uint64_t{row} * p_.shape.columns + column);
  }
  __device__ std::uint32_t lane_column() const {
    return column_ + lane_index() * Layout::Row::kPerPiece;
  }
  // Fills the ring; the copies are under way when this returns. Without a run, left_ stays 0.
  __device__ void begin_run() {
    ColumnWalk walk(p_.bands, blockIdx.x, gridDim.x, p_.band_share);
    for (std::uint32_t i = 0; i < runs_ && !walk.done(); ++i) walk.advance(p_.bands);
    if (walk.done()) return;
    const ColumnRun run = walk.run(p_.bands, warp_index());
    column_ = run.column;
    row_ = run.row * Layout::kRows;
    step_ = -static_cast<std::int32_t>(run.step * Layout::kRows);
    left_ = run.count;
    // Rows only fall.
    whole_ =
        row_ + Layout::kRows <= p_.shape.rows && column_ + Layout::kColumns <= p_.shape.columns;
    mask_ = Strip::place_in_mask(p_, row_, column_);
    from_ = key(row_, lane_column());
#pragma unroll 1
    for (std::uint32_t stage = 0; stage < Slots::kStages; ++stage)
      copy_next(stage < left_, row_ + rows_down(stage));
  }
  // The band from a row on, to where the slots stand, which then is the next band's place.
  __device__ void copy_next(bool exists, std::uint32_t row) {
    if (exists) {
      if (whole_)
        copy_whole();
      else
        copy_inside(row);
      from_ += down(p_.shape.columns);
    }
    close_copy_group();
    slots_.advance();
  }
  __device__ const T* piece_from(int piece) const {
    return from_ +
           (Strip::row_of(piece) * std::uint64_t{p_.shape.columns} + Strip::column_of(piece));
  }
  __device__ void copy_whole() const {
    copy_four_async_once<kThreads * 16>(
        slots_.slot(0), {piece_from(0), piece_from(1), piece_from(2), piece_from(3)});
  }
  // Copies the part of the band that lies within the matrix.
  __device__ void copy_inside(std::uint32_t row) const {
#pragma unroll
    for (int piece = 0; piece < Layout::Lane::kPieces; ++piece)
      if (lane_column() + Strip::column_of(piece) < p_.shape.columns &&
          row + Strip::row_of(piece) < p_.shape.rows)
        copy_async(slots_.slot(piece), piece_from(piece));
  }

  const Parameters& p_;
  Slots slots_;
  std::uint32_t runs_ = 0;  // runs that are done
  // Place of this run in the matrix, and its remaining rows.
  std::uint32_t column_ = 0, row_ = 0, left_ = 0;
  std::int32_t step_ = 0;         // less than 0
  bool whole_ = false;            // its bands lie within the matrix
  std::uint8_t* mask_ = nullptr;  // the lane's place in the mask, for the current band
  const T* from_ = nullptr;       // the lane's first key of the band to copy next
};

}  // namespace stepscope::kernels::batch_topk_device
