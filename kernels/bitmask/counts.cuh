// SPDX-License-Identifier: Apache-2.0
// Columns of bits: a warp turns a block of 32 rows and 32 columns round.
#pragma once

#include <cstdint>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels {

// A warp has so many loads of words under way, and then of the keys that they lead to.
constexpr int kBlocksAhead = 8;

// Of the lane's row from first_row on.
__device__ inline std::uint32_t word_of_row(const Bitmask& mask, std::int64_t first_row,
                                            std::int64_t word_column) {
  const std::int64_t row = first_row + threadIdx.x % kWarpSize;
  return row < mask.rows ? mask.words[row * mask.words_per_row() + word_column] : 0;
}

// For lane l: which of the lanes' words have bit l.
__device__ inline std::uint32_t turned_block(std::uint32_t word) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  std::uint32_t rows = 0;
  if (__ballot_sync(kAllLanes, word != 0) == 0) return rows;
#pragma unroll
  for (std::uint32_t column = 0; column < kWarpSize; ++column) {
    const std::uint32_t with_bit = __ballot_sync(kAllLanes, (word >> column & 1U) != 0);
    if (column == lane) rows = with_bit;
  }
  return rows;
}

// For lane l: which of the rows of each block from first_row on have a bit in column
// 32 * word_column + l.
__device__ inline void rows_of_column(const Bitmask& mask, std::int64_t first_row,
                                      std::int64_t word_column,
                                      std::uint32_t (&rows)[kBlocksAhead]) {
  std::uint32_t words[kBlocksAhead];
#pragma unroll
  for (int block = 0; block < kBlocksAhead; ++block)
    words[block] = word_of_row(mask, first_row + block * kWarpSize, word_column);
#pragma unroll
  for (int block = 0; block < kBlocksAhead; ++block) rows[block] = turned_block(words[block]);
}

}  // namespace stepscope::kernels
