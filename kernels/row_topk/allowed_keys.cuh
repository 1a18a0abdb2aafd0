// SPDX-License-Identifier: Apache-2.0
// Masks keys before a unit is first read: keys that are not of its row, or whose column is not
// considered, become -inf, so that all later stages can take a unit as a whole. -inf is a key too,
// so the columns of the results are checked in the end.
#pragma once

#include <cstdint>

#include "kernels/row_topk/piece_ring.cuh"

namespace stepscope::kernels::row_topk_device {

// A bit for each key of a piece.
template <class T>
__device__ inline std::uint32_t allowed_keys(const Parameters& p, const RowPieces<T>& row,
                                             std::uint32_t piece) {
  const std::uint32_t inside = row.inside(piece);
  if (p.considered == nullptr || inside == 0) return inside;
  const std::uint32_t first = piece == 0 ? 0 : row.column(piece, 0);
  const std::uint32_t last = min(first + RowPieces<T>::kPerPiece, p.columns) - 1;
  const std::uint32_t considered = __funnelshift_r(__ldg(p.considered + first / 32),
                                                   __ldg(p.considered + last / 32), first % 32);
  return inside & (considered << (piece == 0 ? row.skipped() : 0));
}

// bits: of the word's keys, the first lowest.
template <class T>
__device__ inline std::uint32_t only_allowed(std::uint32_t word, std::uint32_t bits) {
  std::uint32_t kept = 0U - (bits & 1U);
  if constexpr (sizeof(T) == 2) kept = (kept & 0xffffU) | (0U - (bits >> 1 & 1U)) << 16;
  return (word & kept) | (PackedKeys<T>::kNegativeInfinities & ~kept);
}

// Masks the thread's own unit, `ahead` strips behind the present one.
template <class T>
__device__ inline void leave_allowed(const Parameters& p, const RowPieces<T>& row,
                                     const PieceRing<T>& ring, std::uint32_t ahead,
                                     std::uint32_t strip) {
  constexpr std::uint32_t kPerWord = 4 / sizeof(T);
  const std::uint32_t first = strip * kStripPieces + threadIdx.x;
  const std::uint32_t last = first + kStripPieces - kThreads;
  if (p.considered == nullptr && !row.is_edge(first) && !row.is_edge(last)) return;
#pragma unroll 1
  for (std::uint32_t j = 0; j < kUnitPieces; ++j) {
    const std::uint32_t allowed = allowed_keys(p, row, first + j * kThreads);
    uint4* const slot = ring.slot(ahead, j);
    uint4 four = *slot;
    four.x = only_allowed<T>(four.x, allowed);
    four.y = only_allowed<T>(four.y, allowed >> kPerWord);
    four.z = only_allowed<T>(four.z, allowed >> (2 * kPerWord));
    four.w = only_allowed<T>(four.w, allowed >> (3 * kPerWord));
    *slot = four;
  }
}

}  // namespace stepscope::kernels::row_topk_device
