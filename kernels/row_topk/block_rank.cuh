// SPDX-License-Identifier: Apache-2.0
// RankSearch by a block: its threads count the keys they hold in bins in shared memory, and each
// warp chooses the bin for itself, so a level costs one barrier.
//
// Three arrays of bins take turns. While a level counts in one, the next level's is cleared: that
// is the one of two levels before, which all warps have read, since they have come to the barrier
// of the level between.
#pragma once

#include <cstdint>

#include "kernels/common/block_scan.cuh"
#include "kernels/row_topk/parameters.cuh"
#include "kernels/row_topk/rank_search.hpp"

namespace stepscope::kernels::row_topk_device {

constexpr std::uint32_t kBinsOfLane = kRankBins / kWarpSize;
static_assert(kBinsOfLane == 8);

// Each lane's eight of 256 numbers; 16-byte aligned.
__device__ inline void load_eight(const std::uint32_t* numbers, std::uint32_t (&own)[8]) {
  const uint4* const fours = reinterpret_cast<const uint4*>(numbers) + lane_index() * 2;
  const uint4 low = fours[0];
  const uint4 high = fours[1];
  own[0] = low.x, own[1] = low.y, own[2] = low.z, own[3] = low.w;
  own[4] = high.x, own[5] = high.y, own[6] = high.z, own[7] = high.w;
}

// The bin that holds the wanted-th greatest key; by each warp. 1 <= wanted <= the bins' sum.
__device__ inline RankBin choose_rank_bin(const std::uint32_t* bins, std::uint32_t wanted) {
  std::uint32_t own[kBinsOfLane];
  load_eight(bins, own);
  std::uint32_t sum = 0;
#pragma unroll
  for (const std::uint32_t size : own) sum += size;
  std::uint32_t above = warp_sum_above(sum);
  const bool here = above < wanted && wanted <= above + sum;
  RankBin chosen{};
#pragma unroll
  for (std::uint32_t i = kBinsOfLane; i-- > 0;) {
    if (above < wanted) chosen = {lane_index() * kBinsOfLane + i, above, own[i]};
    above += own[i];
  }
  const int lane = __ffs(static_cast<int>(__ballot_sync(kAllLanes, here))) - 1;
  return {__shfl_sync(kAllLanes, chosen.bin, lane), __shfl_sync(kAllLanes, chosen.above, lane),
          __shfl_sync(kAllLanes, chosen.size, lane)};
}

struct alignas(16) RankCounters {
  std::uint32_t bins[3][kRankBins];
};

class BlockRank {
 public:
  // By a whole block; the first search begins behind a barrier.
  __device__ explicit BlockRank(RankCounters& counters) : counters_(counters) { clear(0); }

  // By a whole block, to the search's end. Thread by thread the first `held` of its keys count.
  template <class Key, std::uint32_t kKeys>
  __device__ void run(RankSearch<Key>& search, const Key (&keys)[kKeys], std::uint32_t held) {
    while (!search.done()) {
      const std::uint32_t next = turn_ == 2 ? 0 : turn_ + 1;
      clear(next);
      std::uint32_t* const bins = counters_.bins[turn_];
#pragma unroll
      for (std::uint32_t i = 0; i < kKeys; ++i)
        if (i < held && search.holds(keys[i])) atomicAdd(&bins[search.bin(keys[i])], 1U);
      __syncthreads();
      search.chose(choose_rank_bin(bins, search.wanted()));
      turn_ = next;
    }
  }

 private:
  __device__ void clear(std::uint32_t turn) {
    for (std::uint32_t bin = threadIdx.x; bin < kRankBins; bin += kThreads)
      counters_.bins[turn][bin] = 0;
  }

  RankCounters& counters_;
  std::uint32_t turn_ = 0;  // the same in all threads
};

}  // namespace stepscope::kernels::row_topk_device
