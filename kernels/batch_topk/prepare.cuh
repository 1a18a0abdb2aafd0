// SPDX-License-Identifier: Apache-2.0
// Prepares the workspace before a call's kernels count: clears the counters, and sets the decisions
// that are known from the start.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

// Called by a whole grid of one-dimensional blocks, whose first clears the state, which lies first.
__device__ inline void prepare_workspace(const Parameters& p) {
  const bool decides = blockIdx.x == 0 && threadIdx.x == 0;
  const bool warm = p.warm_start != nullptr && !p.from_scratch;
  const auto known = decides && warm ? known_before(p) : BatchTopkWarmStart{};  // far away: early
  const std::size_t words = p.zeroed_bytes / sizeof(uint4);
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += gridDim.x * blockDim.x)
    static_cast<uint4*>(p.zeroed)[i] = uint4{};
  __syncthreads();
  if (!decides) return;
  if (warm) p.state->guessed.bracket = warm_bracket(p, known);
  const int key_bits = p.ranked_type == KeyType::float32 ? 32 : 16;
  p.state->range = {0, key_bits, 0, p.place_bits, count_of(p), 0};
}

}  // namespace stepscope::kernels::batch_topk_device
