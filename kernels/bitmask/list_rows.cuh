// SPDX-License-Identifier: Apache-2.0
// Lists by rows: a warp a row where rows are short or hold many bits (list.cu), else a block a row,
// which takes 2,048 words at a time, 8 of each thread's in a line.
#pragma once

#include "kernels/bitmask/grid.cuh"
#include "kernels/bitmask/set_bits.cuh"
#include "kernels/common/bitmask.hpp"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels {

// Words of a row from which on a block takes it.
constexpr std::int64_t kLongRow = 512;

struct RowPlace {
  std::int64_t next, first_entry, first_column;

  __device__ std::int64_t index(std::uint32_t bit) const { return first_column + bit; }
  __device__ std::int64_t column(std::uint32_t bit) const { return index(bit); }
  __device__ std::int64_t entry(std::uint32_t bit) const { return first_entry + bit; }
  __device__ std::int64_t take(std::uint32_t /*bit*/) { return next++; }
};

// Words from `first` on, those from `count` on 0.
template <int kWords>
__device__ void load_words(const std::uint32_t* first, std::int64_t count, bool by_four,
                           std::uint32_t (&words)[kWords]) {
  if (by_four && count >= kWords) {
#pragma unroll
    for (int i = 0; i < kWords; i += 4) {
      const uint4 four = *reinterpret_cast<const uint4*>(first + i);
      words[i] = four.x, words[i + 1] = four.y, words[i + 2] = four.z, words[i + 3] = four.w;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i) words[i] = i < count ? first[i] : 0;
}

template <class Key>
__global__ void __launch_bounds__(kGridThreads, kListBlocks)
    list_rows_by_block_kernel(Bitmask mask, const std::int64_t* offsets, ListOutput<Key> output) {
  constexpr int kWords = 8;
  const std::int64_t row = blockIdx.x;
  const std::int64_t words = mask.words_per_row();
  const std::uint32_t* const of_row = mask.words + row * words;
  const bool by_four = reinterpret_cast<std::uintptr_t>(of_row) % sizeof(uint4) == 0;
  std::int64_t next = offsets[row];
  for (std::int64_t chunk = 0; chunk < words; chunk += kGridThreads * kWords) {
    const std::int64_t first = chunk + threadIdx.x * kWords;
    std::uint32_t own[kWords];
    load_words(of_row + first, words - first, by_four, own);
    std::uint32_t count = 0, with_bits = 0, total = 0;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      count += static_cast<std::uint32_t>(__popc(own[i]));
      with_bits |= own[i] != 0 ? 1U << i : 0U;
    }
    const std::uint32_t above = block_sum_above<kGridThreads>(count, &total);
    RowPlace place{next + total - above - count, row * mask.columns + first * 32, first * 32};
    put_bits(SetBits(of_row + first, 1, with_bits), output, place);
    next += total;
  }
}

template <class Key>
__global__ void __launch_bounds__(kGridThreads, kListBlocks)
    list_rows_by_warp_kernel(Bitmask mask, const std::int64_t* offsets, ListOutput<Key> output) {
  constexpr int kAhead = 8;
  const std::uint32_t lane = threadIdx.x % kWarpSize;
  const std::int64_t words = mask.words_per_row();
  for (std::int64_t row = first_of_grid() / kWarpSize; row < mask.rows;
       row += size_of_grid() / kWarpSize) {
    std::int64_t next = offsets[row];
    const auto load = [&](std::int64_t column) {
      return output.load(row * mask.columns + column, column);
    };
    for (std::int64_t first = lane; first < words + lane; first += kWarpSize * kAhead) {
      std::uint32_t word[kAhead];
      typename ListOutput<Key>::Value least[kAhead];
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
        const std::int64_t at = first + i * kWarpSize;
        word[i] = at < words ? mask.words[row * words + at] : 0;
      }
#pragma unroll
      for (int i = 0; i < kAhead; ++i)
        if (word[i] != 0) least[i] = load((first + i * kWarpSize) * 32 + least_bit(word[i]));
#pragma unroll
      for (int i = 0; i < kAhead; ++i) {
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

}  // namespace stepscope::kernels
