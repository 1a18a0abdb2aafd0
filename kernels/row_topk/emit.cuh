// SPDX-License-Identifier: Apache-2.0
// Writes a row's selected entries by rising column: they are dealt into buckets of neighbouring
// columns, and ranked within theirs.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/row_topk/candidates.cuh"
#include "kernels/row_topk/packed_keys.cuh"

namespace stepscope::kernels::row_topk_device {

constexpr int kBucketBits = 8;
constexpr std::uint32_t kBuckets = 1U << kBucketBits;
constexpr std::uint32_t kBucketsOfLane = kBuckets / kWarpSize;
constexpr std::uint32_t kLanesOfWarp = kWarpSize / kWarps;  // whose buckets a warp writes
static_assert(kBucketsOfLane == 8 && kWarpSize % kWarps == 0);

struct alignas(16) ColumnBuckets {
  std::uint32_t sizes[kBuckets];           // all 0 before each row
  std::uint32_t begins[kBuckets + 4];      // the first behind the last: how many are selected
  std::uint64_t codes[kRowTopkMostCount];  // by bucket
};

__device__ inline void clear_sizes(ColumnBuckets& buckets) {
  for (std::uint32_t bucket = threadIdx.x; bucket < kBuckets; bucket += kThreads)
    buckets.sizes[bucket] = 0;
}

// Sum over lanes below this one.
__device__ inline std::uint32_t warp_sum_below(std::uint32_t value) {
  std::uint32_t sum = value;
#pragma unroll
  for (std::uint32_t distance = 1; distance < kWarpSize; distance *= 2) {
    const std::uint32_t other = __shfl_up_sync(kAllLanes, sum, distance);
    if (lane_index() >= distance) sum += other;
  }
  return sum - value;
}

// From sizes to begins; each warp adds up all buckets and writes its share.
__device__ inline void sum_buckets(ColumnBuckets& buckets) {
  std::uint32_t sizes[kBucketsOfLane];
  load_eight(buckets.sizes, sizes);
  std::uint32_t sum = 0;
#pragma unroll
  for (const std::uint32_t size : sizes) sum += size;
  std::uint32_t begin = warp_sum_below(sum);
  if (lane_index() / kLanesOfWarp != warp_index()) return;
#pragma unroll
  for (std::uint32_t i = 0; i < kBucketsOfLane; ++i) {
    buckets.begins[lane_index() * kBucketsOfLane + i] = begin;
    begin += sizes[i];
  }
  if (lane_index() == kWarpSize - 1) buckets.begins[kBuckets] = begin;
}

__device__ inline std::uint32_t bucket_of(const Parameters& p, std::uint64_t code) {
  return p.code.column(code) >> max(p.code.place_bits - kBucketBits, 0);
}

// Bucket by bucket; by a whole block.
__device__ inline void deal_codes(const Parameters& p, const HeldCodes& held, std::uint64_t least,
                                  ColumnBuckets& buckets) {
  std::uint32_t within[kCodesOfThread] = {};
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
    if (held.code[i] >= least)
      within[i] = atomicAdd(&buckets.sizes[bucket_of(p, held.code[i])], 1U);
  __syncthreads();
  sum_buckets(buckets);
  __syncthreads();
  clear_sizes(buckets);
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
    if (held.code[i] >= least)
      buckets.codes[buckets.begins[bucket_of(p, held.code[i])] + within[i]] = held.code[i];
  __syncthreads();
}

// How many selected entries have lesser columns: of equal buckets, greater places in their codes.
__device__ inline std::uint32_t rank_of(const Parameters& p, const ColumnBuckets& buckets,
                                        std::uint64_t code) {
  const std::uint32_t bucket = bucket_of(p, code);
  const std::uint32_t column = p.code.column(code);
  std::uint32_t rank = buckets.begins[bucket];
  for (std::uint32_t i = rank, end = buckets.begins[bucket + 1]; i < end; ++i)
    if (p.code.column(buckets.codes[i]) < column) ++rank;
  return rank;
}

// As it is in the row. Its key tells all but a zero's sign and a NaN's bits.
template <class T>
__device__ inline T stored_value(const Parameters& p, std::uint32_t row, std::uint64_t code) {
  using Traits = OrderedTraits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>;
  const std::uint32_t key = p.code.key(code);
  if (key == Traits::kSign || key == Traits::kAll) return row_begin<T>(p, row)[p.code.column(code)];
  return same_bits<T>(static_cast<Bits>(bits_of_ordered<T>(key)));
}

template <class T>
__device__ inline void write_entry(const Parameters& p, std::uint32_t row, std::uint32_t rank,
                                   std::uint64_t code) {
  const std::uint64_t at = std::uint64_t{row} * p.count + rank;
  const std::uint32_t column = p.code.column(code);
  p.columns_out[at] = static_cast<std::int32_t>(column);
  if (p.values == nullptr && p.fired.bits == nullptr && p.fired.counts == nullptr) return;
  const T stored = stored_value<T>(p, row, code);
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
  deal_codes(p, held, least, buckets);
  const std::uint32_t selected = buckets.begins[kBuckets];
  if (threadIdx.x == 0 && p.selected != nullptr)
    p.selected[row] = static_cast<std::int32_t>(selected);
  for (std::uint32_t i = threadIdx.x; i < p.count; i += kThreads) {
    if (i < selected)
      write_entry<T>(p, row, rank_of(p, buckets, buckets.codes[i]), buckets.codes[i]);
    else
      write_none<T>(p, row, i);
  }
}

}  // namespace stepscope::kernels::row_topk_device
