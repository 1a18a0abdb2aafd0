// SPDX-License-Identifier: Apache-2.0
// The bracket that follows from the sample's counts, chosen by any whole block: the least and
// greatest key
// are those of the sample's ranks K +- some standard deviations of a sample of independent keys,
// widened to whole bins of 16 bits.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/ranked_key.cuh"
#include "kernels/batch_topk/sample_sectors.hpp"
#include "kernels/batch_topk/state.cuh"
#include "kernels/common/block_scan.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr int kSampleThreads = 512;
constexpr int kSampleBlocks = 128;
constexpr int kPieceBytes = 16;  // what a thread of the sample reads: half a sector
static_assert(kSampledSectors ==
              std::int64_t{kSampleThreads} * kSampleBlocks * kPieceBytes / kSectorBytes);
constexpr int kFineBits = 16;
constexpr int kFineOfCoarse = 1 << (kFineBits - kBinBits);
static_assert(BatchTopkWorkspace::kFineBins == 1U << kFineBits && kFineOfCoarse == kWarpSize);

// Neighbours stand far apart: many keys fall in few bins, and atomics of one line queue.
__device__ inline std::uint32_t fine_index(std::uint32_t bin) {
  return bin % kFineOfCoarse * kBins + bin / kFineOfCoarse;
}

// How many standard deviations a bracket reaches. A wide one is tried where a narrow one misled, as
// where keys come in clumps: of sectors of 16 keys that are alike, ranks deviate four times as far.
constexpr float kNarrow = 6, kWide = 24;
// What a wide bracket may hold of the sample on either side: half of what there is room for.
constexpr std::int64_t kWidestShare = 256;

// Rank K of some sampled keys, and how far about it a bracket reaches. A guess: float will do.
struct SampleRank {
  float rank, margin;

  __device__ SampleRank(const Parameters& p, std::int64_t sampled, float deviations) {
    const float entries = static_cast<float>(p.shape.rows) * static_cast<float>(p.shape.columns);
    const float share = __fdividef(static_cast<float>(count_of(p)), entries);
    rank = share * static_cast<float>(sampled);
    const float deviation = sqrtf(rank * fmaxf(1 - share, 0.0F)) + 4.0F / 3;
    const float widest = static_cast<float>(sampled / kWidestShare);
    if (deviations > kNarrow)
      deviations = fminf(deviations, fmaxf(kNarrow, __fdividef(widest, deviation)));
    margin = deviations * deviation;
  }
  __device__ std::int64_t lower() const { return static_cast<std::int64_t>(rank + margin) + 1; }
  // Returns the lower rank for a part whose rate may be so many times the sample's.
  __device__ std::int64_t lower_of(float times) const {
    return static_cast<std::int64_t>(times * rank + margin) + 1;
  }
  __device__ std::int64_t upper() const { return static_cast<std::int64_t>(rank - margin); }
};

// Returns how many keys a sample by sectors of the whole matrix has.
template <class T>
STEPSCOPE_HOST_DEVICE inline std::int64_t sampled_keys(const Parameters& p) {
  constexpr std::int64_t kSampled = kSampledSectors * kSectorBytes / sizeof(T);
  const std::int64_t entries = std::int64_t{p.shape.rows} * p.shape.columns;
  return entries < kSampled ? entries : kSampled;
}

// A warp finds the bin of 16 bits within one of 11 bits.
__device__ inline std::uint32_t fine_bin(const Parameters& p, const ChosenBin& coarse) {
  const std::uint32_t first = coarse.bin * kFineOfCoarse;
  const std::uint32_t count = __ldcg(p.sample_fine + fine_index(first + lane_index()));
  const std::uint32_t above = warp_sum_above(count);
  const unsigned here =
      __ballot_sync(kAllLanes, above < coarse.wanted && coarse.wanted <= above + count);
  return first + (here != 0 ? static_cast<std::uint32_t>(__ffs(static_cast<int>(here)) - 1) : 0U);
}

// Chooses the bracket from a sample of `sampled` keys. Called by a whole block of kSampleThreads;
// *bracket, in shared memory, is thread 0's to write.
template <class T, bool kAffine>
__device__ inline void choose_sampled_bracket(const Parameters& p, std::int64_t sampled,
                                              float deviations, Bracket* bracket) {
  using Key = RankedAs<T, kAffine>;
  constexpr int kPerThread = static_cast<int>(kBins) / kSampleThreads;
  static_assert(kPerThread == 4);
  constexpr int kShift = OrderedTraits<Key>::kBits - kFineBits;
  __shared__ std::uint32_t ends[2];
  const uint4 four = __ldcg(reinterpret_cast<const uint4*>(p.sample_coarse) + threadIdx.x);
  const std::uint32_t counts[kPerThread] = {four.x, four.y, four.z, four.w};
  const SampleRank rank(p, sampled, deviations);
  const std::int64_t ranks[2] = {max(rank.upper(), std::int64_t{1}), rank.lower()};
  std::uint32_t total = 0;
  const ChosenBins<2> chosen = block_choose_bins<kSampleThreads>(counts, ranks, &total);
  if (warp_index() < 2) {
    const bool upper = warp_index() == 0;
    const ChosenBin coarse{upper ? chosen.at[0].bin : chosen.at[1].bin,
                           upper ? chosen.at[0].wanted : chosen.at[1].wanted};
    const std::uint32_t bin = fine_bin(p, coarse);
    if (lane_index() == 0) ends[warp_index()] = bin;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const std::uint32_t least = rank.lower() <= total ? max(ends[1] << kShift, p.floor) : p.floor;
  // Where the cut is far from the sample's greatest key, that is an end too: keys above it would be
  // far apart, and all candidates would crowd in the bins below.
  constexpr float kFar = 64;
  const std::uint32_t greatest = rank.upper() >= 1 || rank.rank >= kFar
                                     ? (ends[0] << kShift) | ((1U << kShift) - 1U)
                                     : OrderedTraits<Key>::kAll;
  *bracket = bracket_of_keys(least, max(least, greatest), p.place_bits);
}

}  // namespace stepscope::kernels::batch_topk_device
