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
static_assert(kBuckets == kThreads);

template <class Code>
struct ColumnBuckets {
  Code codes[kRowTopkMostCount];       // by bucket
  std::uint32_t sizes[kBuckets];       // all 0 before each row
  std::uint32_t sums[kWarps];          // sum of each warp's sizes
  std::uint32_t begins[kBuckets + 1];  // the last: how many are selected
};

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

// Turns sizes, which it clears, into begins; by a whole block, a bucket a thread.
template <class Code>
__device__ inline void sum_buckets(ColumnBuckets<Code>& buckets) {
  const std::uint32_t size = buckets.sizes[threadIdx.x];
  buckets.sizes[threadIdx.x] = 0;
  const std::uint32_t below = warp_sum_below(size);
  if (lane_index() == kWarpSize - 1) buckets.sums[warp_index()] = below + size;
  __syncthreads();
  const std::uint32_t begin =
      below + warp_sum(lane_index() < warp_index() ? buckets.sums[lane_index()] : 0U);
  buckets.begins[threadIdx.x] = begin;
  if (threadIdx.x == kBuckets - 1) buckets.begins[kBuckets] = begin + size;
}

template <class Code>
__device__ inline std::uint32_t bucket_of(const Parameters& p, Code code) {
  return coding<Code>(p).column(code) >> max(p.place_bits - kBucketBits, 0);
}

// Bucket by bucket; by a whole block.
template <class Code>
__device__ inline void deal_codes(const Parameters& p, const HeldCodes<Code>& held, Code least,
                                  ColumnBuckets<Code>& buckets) {
  std::uint32_t within[kCodesOfThread] = {};
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
    if (held.code[i] >= least)
      within[i] = atomicAdd(&buckets.sizes[bucket_of(p, held.code[i])], 1U);
  __syncthreads();
  sum_buckets(buckets);
  __syncthreads();
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
    if (held.code[i] >= least)
      buckets.codes[buckets.begins[bucket_of(p, held.code[i])] + within[i]] = held.code[i];
  __syncthreads();
}

// Returns how many selected entries have lesser columns; in one bucket, greater places in their
// codes.
template <class Code>
__device__ inline std::uint32_t rank_of(const Parameters& p, const ColumnBuckets<Code>& buckets,
                                        Code code) {
  const std::uint32_t bucket = bucket_of(p, code);
  const std::uint32_t column = coding<Code>(p).column(code);
  std::uint32_t rank = buckets.begins[bucket];
#pragma unroll 1
  for (std::uint32_t i = rank, end = buckets.begins[bucket + 1]; i < end; ++i)
    if (coding<Code>(p).column(buckets.codes[i]) < column) ++rank;
  return rank;
}

// Returns the value as it is in the row. Its key holds all but a zero's sign and a NaN's bits.
template <class T, class Code>
__device__ inline T stored_value(const Parameters& p, std::uint32_t row, Code code) {
  using Traits = OrderedTraits<T>;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>;
  const std::uint32_t key = coding<Code>(p).key(code);
  if (key == Traits::kSign || key == Traits::kAll)
    return row_begin<T>(p, row)[coding<Code>(p).column(code)];
  return same_bits<T>(static_cast<Bits>(bits_of_ordered<T>(key)));
}

template <class T, class Code>
__device__ inline void write_entry(const Parameters& p, std::uint32_t row, std::uint32_t rank,
                                   Code code) {
  const std::uint64_t at = std::uint64_t{row} * p.count + rank;
  const std::uint32_t column = coding<Code>(p).column(code);
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
template <class T, class Code>
__device__ inline void emit(const Parameters& p, std::uint32_t row, const HeldCodes<Code>& held,
                            Code least, ColumnBuckets<Code>& buckets) {
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
