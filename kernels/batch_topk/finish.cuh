// SPDX-License-Identifier: Apache-2.0
// The last kernel of a call. Where the bracket held, it refines. Else it tries another, of a
// sample, which takes a read more: a wide one where it was a sample's that misled, and that one's
// counts say that it was near. Where that fails too, or there is none, it selects from scratch,
// which is all that a call without a bracket does.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/from_scratch.cuh"
#include "kernels/batch_topk/second_bracket.cuh"

namespace stepscope::kernels::batch_topk_device {

template <class T, bool kAffine, RowLayout kLayout>
__device__ __forceinline__ void select_after_all(const Parameters& p, uint4* shared) {
  const bool sampled = p.warm_start == nullptr;
  std::uint32_t reads = p.reads_before + 1;
  std::uint32_t phase = 0;
  if (!sampled || sample_nearly_held(p, p.state->guessed)) {
    const float deviations = sampled ? kWide : kNarrow;
    if (select_by_second_bracket<T, kAffine, kLayout>(p, deviations, reads, shared)) return;
    phase = kSecondPhases;
    ++reads;
  }
  select_from_scratch<T, kAffine, kLayout>(p, phase, reads, shared);
}

template <class T, bool kAffine, RowLayout kLayout>
__device__ __noinline__ void select_after_all_apart(const Parameters& p, uint4* shared) {
  select_after_all<T, kAffine, kLayout>(p, shared);
}

// Finishes a call after its sweep. kApart: what is seldom done is a function of its own. Then a
// call whose bracket holds takes 0.5 us less, and one that was misled a tenth longer, since that
// function spills.
template <class T, bool kAffine, RowLayout kLayout, bool kApart>
__global__ void __launch_bounds__(kThreads, 2) finish_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 shared[];
  const BatchTopkWarmStart known = known_before(p);
  wait_for_grid_before();
  const Collection& guessed = p.state->guessed;
  const std::int64_t wanted = count_of(p) - static_cast<std::int64_t>(guessed.above);
  const BatchTopkPath path = p.warm_start != nullptr ? BatchTopkPath::warm : BatchTopkPath::sampled;
  if (!refine(p, guessed, wanted, path, p.reads_before + 1, known,
              reinterpret_cast<FinishShared*>(shared)->refine)) {
    if constexpr (kApart)
      select_after_all_apart<T, kAffine, kLayout>(p, shared);
    else
      select_after_all<T, kAffine, kLayout>(p, shared);
  }
}

template <class T, bool kAffine, RowLayout kLayout>
__global__ void __launch_bounds__(kThreads, 2)
    from_scratch_kernel(const __grid_constant__ Parameters p) {
  extern __shared__ __align__(kRingAlignment) uint4 shared[];
  wait_for_grid_before();
  select_from_scratch<T, kAffine, kLayout>(p, 0, p.reads_before, shared);
}

}  // namespace stepscope::kernels::batch_topk_device
