// SPDX-License-Identifier: Apache-2.0
// Columns of bits: a block of 256 threads counts 8 word columns (a sector of each row) and 1,024
// rows at a time. Thread t has word column t % 8 and part t / 8, 32 rows, whose words it loads all
// at once.
//
// A part has a cell a column, which its thread alone writes until the block sums them. Cells lie
// bit by bit, then word by word, and a part's begin 4 banks behind those of the part before:
// threads of a warp that are at the same bit meet in no bank.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/common/bitmask.hpp"

namespace stepscope::kernels {

constexpr int kTileThreads = 256;
// A multiprocessor; without the number ptxas saves registers, and has half the loads under way.
constexpr int kTileBlocks = 3;
constexpr int kTileWords = 8;
constexpr int kTileColumns = 32 * kTileWords;
constexpr int kPartRows = 32;
constexpr int kTileParts = kTileThreads / kTileWords;
constexpr int kTileRows = kTileParts * kPartRows;
static_assert(kTileColumns == kTileThreads);

struct TileCells {
  std::uint16_t of_part[kTileParts][kTileColumns + kTileWords];
};

// Blocks for all columns.
inline unsigned tiles_of(const Bitmask& mask) {
  return static_cast<unsigned>((mask.words_per_row() + kTileWords - 1) / kTileWords);
}

// The thread's word column and part, when it counts.
__device__ inline std::int64_t word_of_thread() {
  return std::int64_t{blockIdx.x} * kTileWords + threadIdx.x % kTileWords;
}
__device__ inline std::uint32_t part_of_thread() {
  return threadIdx.x / kTileWords;
}
// The column whose cells are cell threadIdx.x of each part.
__device__ inline std::int64_t column_of_thread() {
  return word_of_thread() * 32 + threadIdx.x / kTileWords;
}
// Cells of the thread's part and word, bit by bit.
__device__ inline std::uint16_t& own_cell(TileCells& cells, std::uint32_t bit) {
  return cells.of_part[part_of_thread()][bit * kTileWords + threadIdx.x % kTileWords];
}
// Parts that have rows from first_row on.
__device__ inline int parts_from(const Bitmask& mask, std::int64_t first_row) {
  const std::int64_t rows = std::min<std::int64_t>(mask.rows - first_row, kTileRows);
  return static_cast<int>((rows + kPartRows - 1) / kPartRows);
}

// Adds 2^kLevel words, bit by bit, to numbers whose bit k is in planes[k]; what they carry into
// plane kLevel is returned.
template <int kLevel>
__device__ std::uint32_t add_words(const std::uint32_t* words, std::uint32_t* planes) {
  if constexpr (kLevel == 0) {
    return words[0];
  } else {
    const std::uint32_t a = add_words<kLevel - 1>(words, planes);
    const std::uint32_t b = add_words<kLevel - 1>(words + (1 << (kLevel - 1)), planes);
    const std::uint32_t c = planes[kLevel - 1];
    planes[kLevel - 1] = a ^ b ^ c;
    return (a & b) | (a & c) | (b & c);
  }
}

// The thread's words from its part's first row on; 0 beyond the mask.
__device__ inline void load_part(const Bitmask& mask, std::int64_t row,
                                 std::uint32_t (&words)[kPartRows]) {
  const std::int64_t stride = mask.words_per_row();
  const std::int64_t word = word_of_thread();
  const std::int64_t rows = word < stride ? mask.rows - row : 0;
  const auto own_rows = static_cast<int>(std::clamp<std::int64_t>(rows, 0, kPartRows));
  const std::uint32_t* next = mask.words + row * stride + word;
#pragma unroll
  for (int i = 0; i < kPartRows; ++i, next += stride) words[i] = i < own_rows ? *next : 0;
}

// Counts the thread's part into its cells; bit i of the result is set if its row i has a bit.
__device__ inline std::uint32_t count_part(const Bitmask& mask, std::int64_t first_row,
                                           TileCells& cells) {
  std::uint32_t words[kPartRows];
  load_part(mask, first_row + part_of_thread() * kPartRows, words);
#pragma unroll
  for (std::uint32_t bit = 0; bit < 32; ++bit) own_cell(cells, bit) = 0;
  std::uint32_t with_bits = 0;
#pragma unroll
  for (int i = 0; i < kPartRows; ++i) with_bits |= words[i] != 0 ? 1U << i : 0U;
  std::uint32_t planes[6] = {};
  planes[5] = add_words<5>(words, planes);
  std::uint32_t left = planes[0] | planes[1] | planes[2] | planes[3] | planes[4] | planes[5];
  for (; left != 0; left &= left - 1) {
    const auto bit = static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1;
    std::uint32_t count = 0;
#pragma unroll
    for (int plane = 0; plane < 6; ++plane) count |= (planes[plane] >> bit & 1U) << plane;
    own_cell(cells, bit) = static_cast<std::uint16_t>(count);
  }
  return with_bits;
}

}  // namespace stepscope::kernels
