// SPDX-License-Identifier: Apache-2.0
// Lists by columns: a block a tile of columns (column_tile.cuh). Each chunk of rows is counted, its
// cells become positions within the chunk's columns, and each part's thread puts its bits from its
// cells' positions on: rows rise within a column.
#pragma once

#include "kernels/bitmask/column_tile.cuh"
#include "kernels/bitmask/set_bits.cuh"

namespace stepscope::kernels {

// Replaces each cell by the sum of the parts before it, and returns the sum of all.
__device__ inline std::uint32_t place_parts(TileCells& cells, int parts) {
  std::uint32_t sum = 0;
#pragma unroll 8
  for (int part = 0; part < parts; ++part) {
    std::uint16_t& cell = cells.of_part[part][threadIdx.x];
    const std::uint32_t count = cell;
    cell = static_cast<std::uint16_t>(sum);
    sum += count;
  }
  return sum;
}

struct ColumnPlace {
  TileCells* cells;
  const std::int64_t* starts;  // starts of the chunk's lists, by column of the tile, as cells lie
  std::int64_t first_row, first_column, columns;

  __device__ std::int64_t index(std::uint32_t bit) const { return first_row + bit / 32; }
  __device__ std::int64_t column(std::uint32_t bit) const { return first_column + bit % 32; }
  __device__ std::int64_t entry(std::uint32_t bit) const {
    return index(bit) * columns + column(bit);
  }
  __device__ std::int64_t take(std::uint32_t bit) const {
    return starts[bit % 32 * kTileWords + threadIdx.x % kTileWords] + own_cell(*cells, bit % 32)++;
  }
};

template <class Key>
__global__ void __launch_bounds__(kTileThreads, kTileBlocks)
    list_columns_by_tile_kernel(Bitmask mask, const std::int64_t* offsets, ListOutput<Key> output) {
  __shared__ TileCells cells;
  __shared__ std::int64_t starts[kTileColumns];
  const std::int64_t own_column = column_of_thread();
  std::int64_t start = own_column < mask.columns ? offsets[own_column] : 0;
  const std::int64_t stride = mask.words_per_row();
  for (std::int64_t first = 0; first < mask.rows; first += kTileRows) {
    const std::uint32_t with_bits = count_part(mask, first, cells);
    __syncthreads();
    starts[threadIdx.x] = start;
    start += place_parts(cells, parts_from(mask, first));
    __syncthreads();
    const std::int64_t row = first + part_of_thread() * kPartRows;
    const std::int64_t word = word_of_thread();
    ColumnPlace place{&cells, starts, row, word * 32, mask.columns};
    put_bits(SetBits(mask.words + row * stride + word, stride, with_bits), output, place);
  }
}

}  // namespace stepscope::kernels
