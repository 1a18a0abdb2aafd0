// SPDX-License-Identifier: Apache-2.0
// How a block counts its part of a sample: by the upper 11 bits for itself, and for all only those
// bins that its greatest keys fall in, whose keys it counts by their upper 16 bits too.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/sample_bracket.cuh"
#include "kernels/batch_topk/state.cuh"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels::batch_topk_device {

// The whole warp counts one key a lane in global memory, but not those that are alike in many lanes
// one by one: zeroes, which ReLU makes, and the first lane's key, where all are equal.
template <class Key>
__device__ inline void count_fine(const Parameters& p, std::uint32_t key, bool counts) {
  constexpr int kShift = OrderedTraits<Key>::kBits - kFineBits;
  const auto count_alike = [&](std::uint32_t frequent) {
    const unsigned alike = __ballot_sync(kAllLanes, counts && key == frequent);
    if (alike == 0) return;
    if (threadIdx.x % kWarpSize == 0)
      atomicAdd(&p.sample_fine[fine_index(frequent >> kShift)],
                static_cast<unsigned>(__popc(alike)));
    counts = counts && key != frequent;
  };
  count_alike(OrderedTraits<Key>::kSign);
  count_alike(__shfl_sync(kAllLanes, key, 0));
  if (counts) atomicAdd(&p.sample_fine[fine_index(key >> kShift)], 1U);
}

// Called by a whole block of kThreads.
template <int kThreads>
__device__ inline void clear_histogram(std::uint32_t* histogram) {
  for (std::uint32_t i = threadIdx.x; i < kBins / 4; i += kThreads)
    reinterpret_cast<uint4*>(histogram)[i] = uint4{};
  __syncthreads();
}

// Counts the keys of a block of kThreads, each with kKeys ordered keys; 0 stands for none.
template <class Key, int kThreads, int kKeys>
class SampleCount {
 public:
  std::uint32_t ordered[kKeys];

  // Counts in the histogram, of kBins and all 0, and hands on the bins down to that of the key of
  // this rank. A rank that is greater than the number of keys here leaves bin 0: all are handed on.
  __device__ void count(const Parameters& p, std::int64_t rank, std::uint32_t* histogram) {
#pragma unroll
    for (int i = 0; i < kKeys; ++i)
      if (ordered[i] >= p.floor) atomicAdd(&histogram[ordered[i] >> kShift], 1U);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kCoarse; i += 4) {
      const uint4 four = reinterpret_cast<const uint4*>(histogram)[(threadIdx.x * kCoarse + i) / 4];
      counts_[i] = four.x, counts_[i + 1] = four.y;
      counts_[i + 2] = four.z, counts_[i + 3] = four.w;
    }
    std::uint32_t total = 0;
    least_ = block_choose_bin<kThreads>(counts_, rank, &total).bin;
  }

  // The sample's counters are cleared.
  __device__ void hand_on(const Parameters& p) const {
#pragma unroll
    for (int i = 0; i < kCoarse; ++i) {
      const std::uint32_t bin = threadIdx.x * kCoarse + static_cast<std::uint32_t>(i);
      if (bin >= least_ && counts_[i] > 0) atomicAdd(&p.sample_coarse[bin], counts_[i]);
    }
#pragma unroll
    for (int i = 0; i < kKeys; ++i) {
      const bool handed_on = ordered[i] >= p.floor && ordered[i] >> kShift >= least_;
      if (__any_sync(kAllLanes, handed_on)) count_fine<Key>(p, ordered[i], handed_on);
    }
  }

 private:
  static constexpr int kShift = OrderedTraits<Key>::kBits - kBinBits;
  static constexpr int kCoarse = static_cast<int>(kBins) / kThreads;  // bins a thread
  static_assert(kCoarse % 4 == 0);

  std::uint32_t counts_[kCoarse];
  std::uint32_t least_;  // bin
};

}  // namespace stepscope::kernels::batch_topk_device
