// SPDX-License-Identifier: Apache-2.0
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/column_tile.cuh"
#include "kernels/bitmask/grid.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {
namespace {

// A warp a row.
__global__ void __launch_bounds__(kGridThreads)
    row_counts_kernel(Bitmask mask, std::uint32_t* counts) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::int64_t words = mask.words_per_row();
  for (std::int64_t row = first_of_grid() / kWarpSize; row < mask.rows;
       row += size_of_grid() / kWarpSize) {
    std::uint32_t count = 0;
    for (std::int64_t i = lane; i < words; i += kWarpSize)
      count += static_cast<std::uint32_t>(__popc(mask.words[row * words + i]));
    count = warp_sum(count);
    if (lane == 0) counts[row] = count;
  }
}

// A block a tile of columns.
__global__ void __launch_bounds__(kTileThreads, kTileBlocks)
    column_counts_kernel(Bitmask mask, std::uint32_t* counts) {
  __shared__ TileCells cells;
  std::uint32_t sum = 0;
  for (std::int64_t first = 0; first < mask.rows; first += kTileRows) {
    count_part(mask, first, cells);
    __syncthreads();
    const int parts = parts_from(mask, first);
#pragma unroll 8
    for (int part = 0; part < parts; ++part) sum += cells.of_part[part][threadIdx.x];
    __syncthreads();
  }
  const std::int64_t column = column_of_thread();
  if (column < mask.columns) counts[column] = sum;
}

}  // namespace

Status bitmask_row_counts(const Bitmask& mask, std::uint32_t* counts, CUstream_st* stream) {
  if (Status status = validate(mask); !status.ok()) return status;
  if (mask.rows == 0) return {};
  if (counts == nullptr) return Status::bad_argument("counts", "must point to a number a row");
  row_counts_kernel<<<grid_for(mask.rows * kWarpSize), kGridThreads, 0, stream>>>(mask, counts);
  return cuda_status(cudaGetLastError(), "row_counts_kernel");
}

Status bitmask_column_counts(const Bitmask& mask, std::uint32_t* counts, CUstream_st* stream) {
  if (Status status = validate(mask); !status.ok()) return status;
  if (mask.columns == 0) return {};
  if (counts == nullptr) return Status::bad_argument("counts", "must point to a number a column");
  column_counts_kernel<<<tiles_of(mask), kTileThreads, 0, stream>>>(mask, counts);
  return cuda_status(cudaGetLastError(), "column_counts_kernel");
}

}  // namespace stepscope::kernels
