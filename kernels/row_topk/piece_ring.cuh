// SPDX-License-Identifier: Apache-2.0
// Brings a block's rows to its threads, one after the other, with many loads under way.
//
// A row is read a strip at a time: one unit of four pieces a thread, so 16 KB a block, piece j of
// thread t being the strip's piece j * kThreads + t. Each thread copies its own pieces into slots
// of its own with cp.async, alone reads them and frees them itself; a freed slot takes the strip
// that comes kStages later, of this row or of the block's next ones. So there is no barrier, and
// the next row comes in while this one is decided.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/async_copy.cuh"
#include "kernels/row_topk/packed_keys.cuh"
#include "kernels/row_topk/parameters.cuh"
#include "kernels/row_topk/row_pieces.hpp"

namespace stepscope::kernels::row_topk_device {

constexpr std::uint32_t kStages = 2;
constexpr std::uint32_t kUnitPieces = 4;
constexpr std::uint32_t kStripPieces = kThreads * kUnitPieces;
constexpr std::uint32_t kRingBytes = kStages * kStripPieces * kPieceBytes;

template <class T>
__device__ inline RowPieces<T> pieces_of_row(const Parameters& p, std::uint32_t row) {
  return {reinterpret_cast<std::uintptr_t>(row_begin<T>(p, row)), p.columns};
}

__device__ inline std::uint32_t strips_of(std::uint32_t pieces) {
  return (pieces + kStripPieces - 1) / kStripPieces;
}

template <class T>
class PieceRing {
 public:
  // Fills the ring; the copies are under way when this returns.
  __device__ PieceRing(const Parameters& p, uint4* ring)
      : p_(p),
        ring_(ring + threadIdx.x),
        present_(ring_),
        ahead_row_(blockIdx.x),
        policy_(read_once_policy(p.read_once_share)) {
    if (ahead_row_ < p_.rows) begin_row();
#pragma unroll 1
    for (std::uint32_t stage = 0; stage < kStages; ++stage) release();
  }

  // Waits until the strip `kAhead` behind the present one has come, and all before it.
  template <std::uint32_t kAhead>
  __device__ static void wait() {
    wait_for_copies<static_cast<int>(kStages - 1 - kAhead)>();
  }
  // Piece j of the thread's unit, `ahead` strips behind the present one.
  __device__ uint4* slot(std::uint32_t ahead, std::uint32_t j) const {
    uint4* slot = present_ + ahead * kStripPieces;
    if (ahead > 0 && slot >= ring_ + kStages * kStripPieces) slot -= kStages * kStripPieces;
    return slot + j * kThreads;
  }
  __device__ Unit<T> unit(std::uint32_t ahead) const {
    static_assert(Unit<T>::kPieces == kUnitPieces);
    Unit<T> unit;
#pragma unroll
    for (std::uint32_t j = 0; j < kUnitPieces; ++j) {
      const uint4 four = *slot(ahead, j);
      unit.word[4 * j] = four.x, unit.word[4 * j + 1] = four.y;
      unit.word[4 * j + 2] = four.z, unit.word[4 * j + 3] = four.w;
    }
    return unit;
  }
  // Gives the present strip's slot to the next copy and goes on to the next strip.
  __device__ void release() {
    copy_next();
    advance();
  }

 private:
  __device__ void begin_row() {
    ahead_ = pieces_of_row<T>(p_, ahead_row_);
    ahead_strips_ = strips_of(ahead_.size());
    ahead_whole_ = ahead_.whole() / kStripPieces;
    ahead_strip_ = 0;
    from_ =
        reinterpret_cast<const uint4*>(reinterpret_cast<const char*>(row_begin<T>(p_, ahead_row_)) -
                                       ahead_.skipped_bytes()) +
        threadIdx.x;
  }
  __device__ void advance() {
    present_ += kStripPieces;
    if (present_ == ring_ + kStages * kStripPieces) present_ = ring_;
  }

  // The end of a row, of which one thread has a part of a piece: nothing behind it is read.
  __device__ static void copy_part(uint4* to, const uint4* from, std::uint32_t bytes) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>;
    *to = uint4{};
    for (std::uint32_t i = 0; i < bytes / sizeof(T); ++i)
      reinterpret_cast<Bits*>(to)[i] = reinterpret_cast<const Bits*>(from)[i];
  }

  __device__ void copy_whole() const {
    static_assert(kUnitPieces == 4);
    constexpr int kStep = kThreads * static_cast<int>(kPieceBytes);
    copy_four_async<kStep, kStep>(slot(0, 0), from_, policy_);
  }
  // Copies the row's last strip.
  __device__ void copy_rest() const {
#pragma unroll 1
    for (std::uint32_t j = 0; j < kUnitPieces; ++j) {
      const std::uint32_t piece = ahead_strip_ * kStripPieces + j * kThreads + threadIdx.x;
      const std::uint32_t bytes = ahead_.bytes_to_end(piece);
      if (bytes == kPieceBytes)
        copy_async(slot(0, j), from_ + j * kThreads);
      else if (bytes > 0)
        copy_part(slot(0, j), from_ + j * kThreads, bytes);
    }
  }
  __device__ void copy_next() {
    if (ahead_strip_ < ahead_strips_) {
      if (ahead_strip_ < ahead_whole_)
        copy_whole();
      else
        copy_rest();
      from_ += kStripPieces;
      ++ahead_strip_;
      if (ahead_strip_ == ahead_strips_ && p_.rows - ahead_row_ > gridDim.x) {
        ahead_row_ += gridDim.x;
        begin_row();
      }
    }
    close_copy_group();
  }

  const Parameters& p_;
  uint4* const ring_;  // the thread's
  uint4* present_;
  // The strip that is copied next, and its row, of whose strips so many are of whole pieces alone.
  std::uint32_t ahead_row_, ahead_strip_ = 0, ahead_strips_ = 0, ahead_whole_ = 0;
  RowPieces<T> ahead_;
  const uint4* from_ = nullptr;
  const std::uint64_t policy_;
};

}  // namespace stepscope::kernels::row_topk_device
