// SPDX-License-Identifier: Apache-2.0
// Writes a row's selected entries by rising column: they are dealt into buckets of neighbouring
// columns, and ranked within theirs.
#pragma once

#include <cstdint>

#include "kernels/row_topk/candidates.cuh"

namespace stepscope::kernels::row_topk_device {

constexpr std::uint32_t kBuckets = kThreads;
constexpr int kBucketBits = 8;
static_assert(kBuckets == 1U << kBucketBits);

struct ColumnBuckets {
  std::uint32_t sizes[kBuckets];             // all 0 before each row
  std::uint32_t begins[kBuckets + 1];        // the last: how many are selected
  std::uint32_t columns[kRowTopkMostCount];  // by bucket
  std::uint32_t warp_sizes[kWarps];
};

// Sum over lanes up to this one.
__device__ inline std::uint32_t warp_sum_through(std::uint32_t value) {
  for (std::uint32_t distance = 1; distance < kWarpSize; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kAllLanes, value, distance);
    if (lane_index() >= distance) value += other;
  }
  return value;
}

// From sizes to begins; by a whole block, a thread a bucket.
__device__ inline void sum_buckets(ColumnBuckets& buckets) {
  const std::uint32_t own = buckets.sizes[threadIdx.x];
  const std::uint32_t through = warp_sum_through(own);
  if (lane_index() == kWarpSize - 1) buckets.warp_sizes[warp_index()] = through;
  __syncthreads();
  const std::uint32_t of_warps = lane_index() < kWarps ? buckets.warp_sizes[lane_index()] : 0;
  const std::uint32_t before =
      __reduce_add_sync(kAllLanes, lane_index() < warp_index() ? of_warps : 0U);
  buckets.begins[threadIdx.x] = before + through - own;
  if (threadIdx.x == kThreads - 1) buckets.begins[kBuckets] = before + through;
  buckets.sizes[threadIdx.x] = 0;
}

__device__ inline int bucket_shift(const Parameters& p) {
  return max(p.code.place_bits - kBucketBits, 0);
}

// Bucket by bucket; by a whole block.
__device__ inline void deal_columns(const Parameters& p, const HeldCodes& held, std::uint64_t least,
                                    ColumnBuckets& buckets) {
  std::uint32_t within[kCodesOfThread] = {};
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
    if (held.code[i] >= least)
      within[i] = atomicAdd(&buckets.sizes[p.code.column(held.code[i]) >> bucket_shift(p)], 1U);
  __syncthreads();
  sum_buckets(buckets);
  __syncthreads();
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i) {
    if (held.code[i] < least) continue;
    const std::uint32_t column = p.code.column(held.code[i]);
    buckets.columns[buckets.begins[column >> bucket_shift(p)] + within[i]] = column;
  }
  __syncthreads();
}

// How many selected columns are less.
__device__ inline std::uint32_t rank_of(const Parameters& p, const ColumnBuckets& buckets,
                                        std::uint32_t column) {
  const std::uint32_t bucket = column >> bucket_shift(p);
  std::uint32_t rank = buckets.begins[bucket];
  for (std::uint32_t i = buckets.begins[bucket]; i < buckets.begins[bucket + 1]; ++i)
    if (buckets.columns[i] < column) ++rank;
  return rank;
}

template <class T>
__device__ inline void write_entry(const Parameters& p, std::uint32_t row, std::uint32_t rank,
                                   std::uint32_t column) {
  const std::uint64_t at = std::uint64_t{row} * p.count + rank;
  p.columns_out[at] = static_cast<std::int32_t>(column);
  if (p.values == nullptr && p.fired.bits == nullptr && p.fired.counts == nullptr) return;
  const T stored = row_begin<T>(p, row)[column];
  const float value = to_float(stored);
  if (p.values != nullptr) static_cast<T*>(p.values)[at] = p.relu && value <= 0 ? T{} : stored;
  if (!(value > p.fired.above)) return;
  if (p.fired.bits != nullptr) atomicOr(p.fired.bits + column / 32, 1U << (column % 32));
  if (p.fired.counts != nullptr) atomicAdd(p.fired.counts + column, 1U);
}

template <class T>
__device__ inline void write_none(const Parameters& p, std::uint32_t row, std::uint32_t rank) {
  const std::uint64_t at = std::uint64_t{row} * p.count + rank;
  p.columns_out[at] = -1;
  if (p.values != nullptr) static_cast<T*>(p.values)[at] = T{};
}

// The entries whose codes are >= least, by a whole block; they fit in `count`.
template <class T>
__device__ inline void emit(const Parameters& p, std::uint32_t row, const HeldCodes& held,
                            std::uint64_t least, ColumnBuckets& buckets) {
  deal_columns(p, held, least, buckets);
  const std::uint32_t selected = buckets.begins[kBuckets];
  if (threadIdx.x == 0 && p.selected != nullptr)
    p.selected[row] = static_cast<std::int32_t>(selected);
  for (std::uint32_t i = threadIdx.x; i < p.count; i += kThreads) {
    if (i < selected)
      write_entry<T>(p, row, rank_of(p, buckets, buckets.columns[i]), buckets.columns[i]);
    else
      write_none<T>(p, row, i);
  }
}

}  // namespace stepscope::kernels::row_topk_device
