// SPDX-License-Identifier: Apache-2.0
// CSR by rows or columns: counts a line, their sums in order, then each line written by one warp or
// lane from its offset on.
#include "kernels/bitmask/bitmask_outputs.hpp"
#include "kernels/bitmask/counts.cuh"
#include "kernels/bitmask/grid.cuh"
#include "kernels/bitmask/list_layout.hpp"
#include "kernels/common/cuda_check.hpp"
#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {
namespace {

constexpr int kLinesOfThread = static_cast<int>(kLinesOfChunk) / kGridThreads;

// A multiprocessor; without the number ptxas saves registers that it has.
constexpr int kListBlocks = 4;

struct Counts {
  const std::uint32_t* of_line;
  std::int64_t lines;
  std::uint64_t* of_chunk;

  // Of a thread's lines of the block's chunk.
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

template <class Key>
struct Output {
  std::int32_t* indices;
  std::int64_t capacity;
  const Key* keys;
  Key* values;
  const float* addends;  // of columns; null: none

  struct Value {
    Key key{};
    float addend = 0;
  };
  // Nothing of it is looked at, so that no load waits for another.
  __device__ Value load(std::int64_t entry, std::int64_t column) const {
    Value value;
    if (values == nullptr) return value;
    value.key = keys[entry];
    if (addends != nullptr) value.addend = addends[column];
    return value;
  }
  __device__ void put(std::int64_t at, std::int64_t index, const Value& value) const {
    if (at >= capacity) return;
    indices[at] = static_cast<std::int32_t>(index);
    if (values != nullptr) values[at] = addends != nullptr ? sum(value) : value.key;
  }

 private:
  __device__ static Key sum(const Value& value) {
    if constexpr (sizeof(Key) == sizeof(float))
      return bits_of(float_of_bits(value.key) + value.addend);
    return value.key;
  }
};

__device__ std::uint32_t least_bit(std::uint32_t word) {
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(word))) - 1;
}

template <class Key>
__global__ void __launch_bounds__(kGridThreads, kListBlocks)
    list_rows_kernel(Bitmask mask, const std::int64_t* offsets, Output<Key> output) {
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::int64_t words = mask.words_per_row();
  for (std::int64_t row = first_of_grid() / kWarpSize; row < mask.rows;
       row += size_of_grid() / kWarpSize) {
    std::int64_t next = offsets[row];
    const auto load = [&](std::int64_t column) {
      return output.load(row * mask.columns + column, column);
    };
    for (std::int64_t first = lane; first < words + lane; first += kWarpSize * kBlocksAhead) {
      std::uint32_t word[kBlocksAhead];
      typename Output<Key>::Value least[kBlocksAhead];
#pragma unroll
      for (int i = 0; i < kBlocksAhead; ++i) {
        const std::int64_t at = first + i * kWarpSize;
        word[i] = at < words ? mask.words[row * words + at] : 0;
      }
#pragma unroll
      for (int i = 0; i < kBlocksAhead; ++i)
        if (word[i] != 0) least[i] = load((first + i * kWarpSize) * 32 + least_bit(word[i]));
#pragma unroll
      for (int i = 0; i < kBlocksAhead; ++i) {
        const auto own = static_cast<std::uint32_t>(__popc(word[i]));
        const std::uint32_t all = warp_sum(own);
        if (all == 0) continue;
        std::int64_t at = next + all - own - warp_sum_above(own);
        next += all;
        if (own == 0) continue;
        const std::int64_t column = (first + i * kWarpSize) * 32;
        output.put(at++, column + least_bit(word[i]), least[i]);
        for (std::uint32_t rest = word[i] & (word[i] - 1); rest != 0; rest &= rest - 1)
          output.put(at++, column + least_bit(rest), load(column + least_bit(rest)));
      }
    }
  }
}

template <class Key>
__global__ void __launch_bounds__(kGridThreads, kListBlocks)
    list_columns_kernel(Bitmask mask, const std::int64_t* offsets, Output<Key> output) {
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
      typename Output<Key>::Value least[kBlocksAhead];
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

template <class Key>
void enqueue_list(const Bitmask& mask, const BitmaskList& list, cudaStream_t stream) {
  const Output<Key> output{list.indices, list.capacity, static_cast<const Key*>(list.keys),
                           static_cast<Key*>(list.values), list.column_addends};
  if (list.lines == BitmaskLines::rows)
    list_rows_kernel<<<grid_for(mask.rows * kWarpSize), kGridThreads, 0, stream>>>(
        mask, list.offsets, output);
  else
    list_columns_kernel<<<grid_for(mask.words_per_row() * kWarpSize), kGridThreads, 0, stream>>>(
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
