// SPDX-License-Identifier: Apache-2.0
// RankSearch by a block: its threads count the keys they hold in bins in shared memory, one of
// which each thread then looks at and clears. Where all blocks of a multiprocessor decide a row at
// once, instructions are what it takes, so a warp adds up its bins, and only the one that holds the
// rank looks for it: three barriers a level.
#pragma once

#include <cstdint>

#include "kernels/common/block_scan.cuh"
#include "kernels/row_topk/parameters.cuh"
#include "kernels/row_topk/rank_search.hpp"

namespace stepscope::kernels::row_topk_device {

static_assert(kRankBins == kThreads && kWarps <= kWarpSize);

struct RankCounters {
  std::uint32_t bins[kRankBins];  // 0 between two levels
  std::uint32_t sums[kWarps];
  RankBin chosen;
};

class BlockRank {
 public:
  // Constructed by a whole block; the first search begins behind a barrier.
  __device__ explicit BlockRank(RankCounters& counters) : counters_(counters) {
    counters_.bins[threadIdx.x] = 0;
  }

  // Searches to the end, by a whole block. The first `held` of each thread's keys count.
  template <class Key, std::uint32_t kKeys>
  __device__ void run(RankSearch<Key>& search, const Key (&keys)[kKeys], std::uint32_t held) {
    while (!search.done()) {
#pragma unroll
      for (std::uint32_t i = 0; i < kKeys; ++i)
        if (i < held && search.holds(keys[i])) atomicAdd(&counters_.bins[search.bin(keys[i])], 1U);
      __syncthreads();
      search.chose(choose(search.wanted()));
    }
  }

 private:
  // The bin that holds the wanted-th greatest key. 1 <= wanted <= the bins' sum.
  __device__ RankBin choose(std::uint32_t wanted) {
    const std::uint32_t own = counters_.bins[threadIdx.x];
    counters_.bins[threadIdx.x] = 0;
    const std::uint32_t of_warp = warp_sum(own);
    if (lane_index() == 0) counters_.sums[warp_index()] = of_warp;
    __syncthreads();
    const bool is_above = lane_index() < kWarps && lane_index() > warp_index();
    std::uint32_t above = warp_sum(is_above ? counters_.sums[lane_index()] : 0U);
    if (above < wanted && wanted <= above + of_warp) {
      above += warp_sum_above(own);
      if (above < wanted && wanted <= above + own) counters_.chosen = {threadIdx.x, above, own};
    }
    __syncthreads();
    return counters_.chosen;
  }

  RankCounters& counters_;
};

}  // namespace stepscope::kernels::row_topk_device
