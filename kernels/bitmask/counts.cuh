// SPDX-License-Identifier: Apache-2.0
// Columns of bits: a warp turns a block of 32 rows and 32 columns round.
#pragma once

#include <cstdint>

#include "kernels/common/bitmask.hpp"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels {

// For lane l: which of the rows from first_row on have a bit in column 32 * word_column + l.
__device__ inline std::uint32_t rows_of_column(const Bitmask& mask, std::int64_t first_row,
                                               std::int64_t word_column) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::int64_t row = first_row + lane;
  const std::uint32_t word =
      row < mask.rows ? mask.words[row * mask.words_per_row() + word_column] : 0;
  std::uint32_t rows = 0;
  if (__ballot_sync(kAllLanes, word != 0) == 0) return rows;
#pragma unroll
  for (std::uint32_t column = 0; column < kWarpSize; ++column) {
    const std::uint32_t with_bit = __ballot_sync(kAllLanes, (word >> column & 1U) != 0);
    if (column == lane) rows = with_bit;
  }
  return rows;
}

}  // namespace stepscope::kernels
