// SPDX-License-Identifier: Apache-2.0
// The codes of a row's entries that may be selected, in shared memory, in no order: codes are
// distinct numbers, so what is chosen of them does not depend on it.
#pragma once

#include <cstdint>

#include "kernels/row_topk/count_search.hpp"
#include "kernels/row_topk/parameters.cuh"

namespace stepscope::kernels::row_topk_device {

constexpr std::uint32_t kCapacity = 1536;
constexpr std::uint32_t kCodesOfThread = kCapacity / kThreads;
static_assert(kCapacity > kRowTopkMostCount);  // after a choice there is room

struct CandidateList {
  std::uint64_t codes[kCapacity];
  std::uint32_t asked;  // for places, also where there was no room
  std::uint32_t top[kWarps];
};

// Codes of a list as its threads hold them, 0 behind the last.
struct HeldCodes {
  std::uint64_t code[kCodesOfThread];
  std::uint32_t size;  // of all threads
};

// False where there is no room. The compiler adds once for all lanes of a warp.
__device__ inline bool append(CandidateList& list, std::uint64_t code) {
  const std::uint32_t at = atomicAdd(&list.asked, 1U);
  if (at >= kCapacity) return false;
  list.codes[at] = code;
  return true;
}

// By a whole block, behind a barrier.
__device__ inline HeldCodes held_codes(const CandidateList& list) {
  HeldCodes held;
  held.size = min(list.asked, kCapacity);
#pragma unroll
  for (std::uint32_t i = 0; i < kCodesOfThread; ++i) {
    const std::uint32_t at = i * kThreads + threadIdx.x;
    held.code[i] = at < held.size ? list.codes[at] : 0;
  }
  return held;
}

__device__ inline std::uint32_t greatest_key(CandidateList& list, const RowCode& code,
                                             const HeldCodes& held) {
  std::uint32_t top = 0;
#pragma unroll
  for (const std::uint64_t own : held.code) top = max(top, code.key(own));
  top = __reduce_max_sync(kAllLanes, top);
  if (lane_index() == 0) list.top[warp_index()] = top;
  __syncthreads();
  return __reduce_max_sync(kAllLanes, list.top[lane_index() % kWarps]);
}

// The least of the `wanted` greatest, by a whole block; `low` is not above any. 1 where there are
// no more than wanted.
__device__ inline std::uint64_t least_selected(CandidateList& list, const RowCode& code,
                                               const HeldCodes& held, std::uint64_t low,
                                               std::uint32_t wanted) {
  if (held.size <= wanted) return 1;
  const std::uint32_t top = greatest_key(list, code, held);
  CountSearch<std::uint64_t> search(low, (std::uint64_t{top} + 1) << code.place_bits, held.size,
                                    wanted, wanted);
  while (!search.done()) {
    const std::uint64_t probe = search.probe();
    std::uint32_t count = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kCodesOfThread; ++i)
      if (i * kThreads < held.size)
        count += static_cast<std::uint32_t>(__syncthreads_count(held.code[i] >= probe ? 1 : 0));
    search.counted(probe, count);
  }
  return search.low();
}

// Of a full list only codes >= least stay; by a whole block that has found `least` among held
// codes, so behind a barrier.
__device__ inline void keep_from(CandidateList& list, const HeldCodes& held, std::uint64_t least) {
  if (threadIdx.x == 0) list.asked = 0;
  __syncthreads();
#pragma unroll
  for (const std::uint64_t own : held.code)
    if (own >= least) (void)append(list, own);
  __syncthreads();
}

}  // namespace stepscope::kernels::row_topk_device
