// SPDX-License-Identifier: Apache-2.0
// Lists by columns of masks with many bits: a warp 32 columns, which turns blocks of 32 rows and 32
// columns round, so that the keys of a row that its lanes read lie side by side.
#pragma once

#include "kernels/bitmask/grid.cuh"
#include "kernels/bitmask/set_bits.cuh"
#include "kernels/common/bitmask.hpp"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels {

// A warp has so many loads of words under way, and then of the keys that they lead to.
constexpr int kBlocksAhead = 8;

// Returns the mask's word in the lane's row, rows counted from first_row on.
__device__ inline std::uint32_t word_of_row(const Bitmask& mask, std::int64_t first_row,
                                            std::int64_t word_column) {
  const std::int64_t row = first_row + threadIdx.x % kWarpSize;
  return row < mask.rows ? mask.words[row * mask.words_per_row() + word_column] : 0;
}

// Returns, for lane l, which of the lanes' words have bit l.
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

// Computes for lane l which of the rows of each block from first_row on have a bit in column 32 *
// word_column + l.
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

template <class Key>
__global__ void __launch_bounds__(kGridThreads, kListBlocks)
    list_columns_by_warp_kernel(Bitmask mask, const std::int64_t* offsets, ListOutput<Key> output) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  for (std::int64_t word = first_of_grid() / kWarpSize; word < mask.words_per_row();
       word += size_of_grid() / kWarpSize) {
    const std::int64_t column = word * kWarpSize + lane;
    std::int64_t at = column < mask.columns ? offsets[column] : 0;
    const auto load = [&](std::int64_t row) {
      return output.load(row * mask.columns + column, column);
    };
    for (std::int64_t first = 0; first < mask.rows; first += kWarpSize * kBlocksAhead) {
      std::uint32_t rows[kBlocksAhead];
      typename ListOutput<Key>::Value least[kBlocksAhead];
      rows_of_column(mask, first, word, rows);
#pragma unroll
      for (int i = 0; i < kBlocksAhead; ++i)
        if (rows[i] != 0) least[i] = load(first + i * kWarpSize + least_bit(rows[i]));
#pragma unroll
      for (int i = 0; i < kBlocksAhead; ++i) {
        if (rows[i] == 0) continue;
        const std::int64_t row = first + i * kWarpSize;
        output.put(at++, row + least_bit(rows[i]), least[i]);
        for (std::uint32_t rest = rows[i] & (rows[i] - 1); rest != 0; rest &= rest - 1)
          output.put(at++, row + least_bit(rest), load(row + least_bit(rest)));
      }
    }
  }
}

}  // namespace stepscope::kernels
