// SPDX-License-Identifier: Apache-2.0
#include "kernels/bitmask/counts.cuh"

#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/grid.cuh"
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

// A warp 32 columns.
__global__ void __launch_bounds__(kGridThreads)
    column_counts_kernel(Bitmask mask, std::uint32_t* counts) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  for (std::int64_t word = first_of_grid() / kWarpSize; word < mask.words_per_row();
       word += size_of_grid() / kWarpSize) {
    std::uint32_t count = 0;
    for (std::int64_t row = 0; row < mask.rows; row += kWarpSize * kBlocksAhead) {
      std::uint32_t rows[kBlocksAhead];
      rows_of_column(mask, row, word, rows);
#pragma unroll
      for (const std::uint32_t block : rows) count += static_cast<std::uint32_t>(__popc(block));
    }
    const std::int64_t column = word * kWarpSize + lane;
    if (column < mask.columns) counts[column] = count;
  }
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
  const unsigned blocks = grid_for(mask.words_per_row() * kWarpSize);
  column_counts_kernel<<<blocks, kGridThreads, 0, stream>>>(mask, counts);
  return cuda_status(cudaGetLastError(), "column_counts_kernel");
}

}  // namespace stepscope::kernels
