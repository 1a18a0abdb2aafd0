// SPDX-License-Identifier: Apache-2.0
// The bracket that is tried where the first one misled: of a sample, which is taken (again) in two
// phases, and then one read.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/phase.cuh"
#include "kernels/batch_topk/sample.cuh"

namespace stepscope::kernels::batch_topk_device {

// Begins a second bracket: a phase that clears the sample's counters, and one that counts.
template <class T, bool kAffine, RowLayout kLayout>
__device__ void sample_again(const Parameters& p, float deviations, std::uint32_t first,
                             uint4* shared) {
  static_assert(kSampleThreads == kThreads);
  Phase clearing(p.state, first);
  clearing.run([&](const Share& share) {
    const auto stride = static_cast<std::uint32_t>(share.count) * kThreads;
    auto* const counters = reinterpret_cast<uint4*>(p.sample_coarse);
    for (std::uint32_t i = static_cast<std::uint32_t>(share.number) * kThreads + threadIdx.x;
         i < (kBins + BatchTopkWorkspace::kFineBins) / 4; i += stride)
      counters[i] = uint4{};
  });
  clearing.end();
  Phase counting(p.state, first + 1);
  counting.run([&](const Share& share) {
    auto* const histogram = reinterpret_cast<FinishShared*>(shared)->histogram;
    for (auto i = static_cast<std::uint32_t>(share.number); i < kSampleBlocks; i += share.count) {
      SamplePart<T, kAffine, kLayout != RowLayout::any> part(p, i);
      clear_histogram<kThreads>(histogram);
      part.count(deviations, histogram);
      part.hand_on();
      __syncthreads();  // the histogram is read
    }
  });
  counting.end();
}

constexpr std::uint32_t kSecondPhases = 3;

// False, to all blocks, where the second bracket does not hold the cut either.
template <class T, bool kAffine, RowLayout kLayout>
__device__ bool select_by_second_bracket(const Parameters& p, float deviations, std::uint32_t reads,
                                         uint4* shared) {
  sample_again<T, kAffine, kLayout>(p, deviations, 0, shared);
  auto& parts = *reinterpret_cast<FinishShared*>(shared);
  Collection& collection = p.state->second;
  choose_sampled_bracket<T, kAffine>(p, sampled_keys<T>(p), deviations, &parts.sweep.bracket);
  __syncthreads();
  sweep_phase<T, kAffine, kLayout>(p, collection, kSecondPhases - 1, shared);
  const std::int64_t wanted = count_of(p) - static_cast<std::int64_t>(collection.above);
  return refine(p, collection, wanted, BatchTopkPath::exact, reads + 1, known_before(p),
                parts.refine);
}

// Whether a wide bracket of the sample, whose narrow one misled, may hold the cut: not where many
// keys are equal, or the ends' ranks say that the sample knows nothing of the keys.
__device__ inline bool sample_nearly_held(const Parameters& p, const Collection& found) {
  std::uint32_t candidates = 0;
  (void)CandidateShare(p, found).choose(1, &candidates);
  const auto reaching = static_cast<std::int64_t>(found.above) + std::int64_t{candidates};
  return candidates <= p.capacity && found.listed <= p.capacity && !far_above(p, found.above) &&
         kFarTimes * reaching > count_of(p);
}

}  // namespace stepscope::kernels::batch_topk_device
