// SPDX-License-Identifier: Apache-2.0
// Sums over a block, and the choice of a histogram's bin by the whole block.
#pragma once

#include <cstdint>

#include "kernels/common/radix_digit.hpp"

namespace stepscope::kernels {

constexpr int kWarpSize = 32;
constexpr unsigned kAllLanes = 0xffffffffU;

__device__ inline std::uint32_t lane_index() {
  return threadIdx.x % kWarpSize;
}
__device__ inline std::uint32_t warp_index() {
  return threadIdx.x / kWarpSize;
}

template <class T>
__device__ inline T warp_sum(T value) {
  for (int distance = kWarpSize / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
  return __reduce_add_sync(kAllLanes, value);
}

// Sums where 32 bits may not hold the sum.
__device__ inline unsigned long long wide_warp_sum(std::uint32_t value) {
  const unsigned long long upper = warp_sum(value >> 16);
  return (upper << 16) + warp_sum(value & 0xffffU);
}

// Sum over lanes above this one.
template <class T>
__device__ inline T warp_sum_above(T value) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  T sum = value;
  for (int distance = 1; distance < kWarpSize; distance *= 2) {
    const T other = __shfl_down_sync(kAllLanes, sum, distance);
    if (lane + distance < kWarpSize) sum += other;
  }
  return sum - value;
}

// Sum over threads above this one; every thread of the block calls it. The block's total goes to
// *total.
template <int kThreads, class Sum>
__device__ inline Sum block_sum_above(Sum value, Sum* total) {
  constexpr int kWarps = kThreads / kWarpSize;
  static_assert(kWarps <= kWarpSize);
  __shared__ Sum sums[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const Sum above_in_warp = warp_sum_above(value);
  __syncthreads();
  if (lane == 0) sums[warp] = above_in_warp + value;
  __syncthreads();
  Sum above = above_in_warp;
  Sum all = 0;
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    all += sums[i];
    if (i > warp) above += sums[i];
  }
  *total = all;
  return above;
}

template <int kRanks>
struct ChosenBins {
  ChosenBin at[kRanks];
};

// choose_bin of radix_digit.hpp by a block, for some ranks at once. Thread t holds bins
// t * kPerThread and up in `counts`, whose sum fits their type; the answer is the same in all
// threads. total >= wanted >= 1, else bin 0 and wanted 0.
//
// Where all blocks of a grid choose, instructions are what it takes: a warp adds up its bins, and
// only the one that holds a rank looks for it. Two barriers, and none needed between two calls.
template <int kThreads, int kPerThread, class Count, int kRanks>
__device__ inline ChosenBins<kRanks> block_choose_bins(const Count (&counts)[kPerThread],
                                                       const std::int64_t (&wanted)[kRanks],
                                                       Count* total) {
  constexpr int kWarps = kThreads / kWarpSize;
  static_assert(kWarps <= kWarpSize);
  __shared__ Count sums[kWarps];
  __shared__ ChosenBins<kRanks> chosen;
  Count own = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) own += counts[i];
  const Count of_warp = warp_sum(own);
  if (lane_index() == 0) sums[warp_index()] = of_warp;
  __syncthreads();
  const Count of_warps = lane_index() < kWarps ? sums[lane_index()] : Count{0};
  const Count warps_above = warp_sum(lane_index() > warp_index() ? of_warps : Count{0});
  *total = warp_sum(of_warps);
  const auto is_there = [&](int rank) {
    return wanted[rank] >= 1 && wanted[rank] <= static_cast<std::int64_t>(*total);
  };
#pragma unroll
  for (int rank = 0; rank < kRanks; ++rank) {
    const auto left = static_cast<Count>(wanted[rank]);
    if (!is_there(rank) || left <= warps_above || left > warps_above + of_warp) continue;
    Count above = warps_above + warp_sum_above(own);
#pragma unroll
    for (int i = kPerThread - 1; i >= 0; --i) {
      if (above < left && left <= above + counts[i])
        chosen.at[rank] = {threadIdx.x * kPerThread + static_cast<std::uint32_t>(i),
                           static_cast<std::int64_t>(left - above),
                           static_cast<std::int64_t>(counts[i])};
      above += counts[i];
    }
  }
  __syncthreads();
  ChosenBins<kRanks> answer{};
#pragma unroll
  for (int rank = 0; rank < kRanks; ++rank)
    if (is_there(rank)) answer.at[rank] = chosen.at[rank];
  return answer;
}

template <int kThreads, int kPerThread, class Count>
__device__ inline ChosenBin block_choose_bin(const Count (&counts)[kPerThread], std::int64_t wanted,
                                             Count* total) {
  const std::int64_t ranks[1] = {wanted};
  return block_choose_bins<kThreads>(counts, ranks, total).at[0];
}

}  // namespace stepscope::kernels
