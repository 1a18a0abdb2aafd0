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
template <int kThreads>
__device__ inline std::int64_t block_sum_above(std::int64_t value, std::int64_t* total) {
  constexpr int kWarps = kThreads / kWarpSize;
  static_assert(kWarps <= kWarpSize);
  __shared__ std::int64_t sums[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
  const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
  const std::int64_t above_in_warp = warp_sum_above(value);
  __syncthreads();
  if (lane == 0) sums[warp] = above_in_warp + value;
  __syncthreads();
  std::int64_t above = above_in_warp;
  std::int64_t all = 0;
  for (int i = 0; i < kWarps; ++i) {
    all += sums[i];
    if (i > warp) above += sums[i];
  }
  *total = all;
  return above;
}

// choose_bin of radix_digit.hpp by a block. Thread t holds bins t * kPerThread and up in `counts`;
// the answer is the same in all threads. total >= wanted >= 1, else bin 0 and wanted 0.
template <int kThreads, int kPerThread, class Count>
__device__ inline ChosenBin block_choose_bin(const Count (&counts)[kPerThread], std::int64_t wanted,
                                             std::int64_t* total) {
  __shared__ ChosenBin chosen;
  std::int64_t own = 0;
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) own += static_cast<std::int64_t>(counts[i]);
  if (threadIdx.x == 0) chosen = {0, 0};
  std::int64_t above = block_sum_above<kThreads>(own, total);
  if (above < wanted && wanted <= above + own) {
#pragma unroll
    for (int i = kPerThread - 1; i >= 0; --i) {
      const auto count = static_cast<std::int64_t>(counts[i]);
      if (above < wanted && wanted <= above + count)
        chosen = {threadIdx.x * kPerThread + static_cast<std::uint32_t>(i), wanted - above};
      above += count;
    }
  }
  __syncthreads();
  const ChosenBin answer = chosen;
  __syncthreads();
  return answer;
}

}  // namespace stepscope::kernels
