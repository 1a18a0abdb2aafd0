// SPDX-License-Identifier: Apache-2.0
// CSR by rows or columns: counts a line, their sums in order, then each line written from its
// offset on.
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/grid.cuh"
#include "kernels/bitmask/list_columns.cuh"
#include "kernels/bitmask/list_columns_by_warp.cuh"
#include "kernels/bitmask/list_layout.hpp"
#include "kernels/bitmask/list_rows.cuh"
#include "kernels/common/block_scan.cuh"
#include "kernels/common/cuda_check.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kLinesOfThread = static_cast<int>(kLinesOfChunk) / kGridThreads;

struct Counts {
  const std::uint32_t* of_line;
  std::int64_t lines;
  std::uint64_t* of_chunk;

  // Loads the counts of the thread's lines of the block's chunk, and returns their sum.
  __device__ std::int64_t load(std::uint32_t (&counts)[kLinesOfThread]) const {
    const std::int64_t first = blockIdx.x * kLinesOfChunk + threadIdx.x * kLinesOfThread;
    std::int64_t sum = 0;
#pragma unroll
    for (int i = 0; i < kLinesOfThread; ++i) {
      counts[i] = first + i < lines ? of_line[first + i] : 0;
      sum += counts[i];
    }
    return sum;
  }
};

__global__ void __launch_bounds__(kGridThreads) chunk_sums_kernel(Counts counts) {
  std::uint32_t own[kLinesOfThread];
  std::int64_t total = 0;
  block_sum_above<kGridThreads>(counts.load(own), &total);
  if (threadIdx.x == 0) counts.of_chunk[blockIdx.x] = static_cast<std::uint64_t>(total);
}

__global__ void __launch_bounds__(kGridThreads)
    offsets_kernel(Counts counts, std::int64_t* offsets) {
  std::int64_t before = 0;
  for (std::uint32_t chunk = threadIdx.x; chunk < blockIdx.x; chunk += kGridThreads)
    before += static_cast<std::int64_t>(counts.of_chunk[chunk]);
  std::int64_t before_chunk = 0;
  block_sum_above<kGridThreads>(before, &before_chunk);
  std::uint32_t own[kLinesOfThread];
  const std::int64_t sum = counts.load(own);
  std::int64_t total = 0;
  const std::int64_t above = block_sum_above<kGridThreads>(sum, &total);
  std::int64_t offset = before_chunk + total - above - sum;
  const std::int64_t first = blockIdx.x * kLinesOfChunk + threadIdx.x * kLinesOfThread;
#pragma unroll
  for (int i = 0; i < kLinesOfThread; ++i) {
    if (first + i <= counts.lines) offsets[first + i] = offset;  // the last is the sum of all
    offset += own[i];
  }
}

// A thread with many bits puts a line of its own: of half of all entries, at 1024x49152 on an H200,
// lists took 1,756 us by rows and 2,799 by columns in place of 600 and 1,100 by warps, of 0.4 % 24
// and 34 in place of 38 and 95.
bool holds_many(const Bitmask& mask, const BitmaskList& list) {
  return list.capacity > mask.rows * mask.columns / 32;
}

template <class Key>
void enqueue_list(const Bitmask& mask, const BitmaskList& list, cudaStream_t stream) {
  const ListOutput<Key> output{list.indices, list.capacity, static_cast<const Key*>(list.keys),
                               static_cast<Key*>(list.values), list.column_addends};
  const bool many = holds_many(mask, list);
  if (list.lines == BitmaskLines::columns && many)
    list_columns_by_warp_kernel<<<grid_for(mask.words_per_row() * kWarpSize), kGridThreads, 0,
                                  stream>>>(mask, list.offsets, output);
  else if (list.lines == BitmaskLines::columns)
    list_columns_by_tile_kernel<<<tiles_of(mask), kTileThreads, 0, stream>>>(mask, list.offsets,
                                                                             output);
  else if (mask.words_per_row() >= kLongRow && !many)
    list_rows_by_block_kernel<<<static_cast<unsigned>(mask.rows), kGridThreads, 0, stream>>>(
        mask, list.offsets, output);
  else
    list_rows_by_warp_kernel<<<grid_for(mask.rows * kWarpSize), kGridThreads, 0, stream>>>(
        mask, list.offsets, output);
}

}  // namespace

Status bitmask_list(const Bitmask& mask, const BitmaskList& list, CUstream_st* stream) {
  if (Status status = validate(mask, list); !status.ok()) return status;
  const bool by_row = list.lines == BitmaskLines::rows;
  const std::int64_t lines = by_row ? mask.rows : mask.columns;
  const ListLayout layout = list_layout(lines);
  auto* const of_line = static_cast<std::uint32_t*>(list.workspace);
  auto* const of_chunk =
      reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(list.workspace) + layout.sums);
  const Status counted = by_row ? bitmask_row_counts(mask, of_line, stream)
                                : bitmask_column_counts(mask, of_line, stream);
  if (!counted.ok()) return counted;
  const Counts counts{of_line, lines, of_chunk};
  const auto chunks = static_cast<unsigned>(layout.chunks);
  chunk_sums_kernel<<<chunks, kGridThreads, 0, stream>>>(counts);
  offsets_kernel<<<chunks, kGridThreads, 0, stream>>>(counts, list.offsets);
  if (list.indices != nullptr && lines > 0) {
    if (bytes_of(list.key_type) == 4)
      enqueue_list<std::uint32_t>(mask, list, stream);
    else
      enqueue_list<std::uint16_t>(mask, list, stream);
  }
  return cuda_status(cudaGetLastError(), "bitmask_list");
}

}  // namespace stepscope::kernels
