// SPDX-License-Identifier: Apache-2.0
// Grids whose threads, or warps, stride over some number of things.
#pragma once

#include <algorithm>
#include <cstdint>

namespace stepscope::kernels {

constexpr int kGridThreads = 256;
constexpr std::int64_t kMostBlocks = 4096;

// Blocks for so many threads, at least one.
inline unsigned grid_for(std::int64_t threads) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((threads + kGridThreads - 1) / kGridThreads, 1, kMostBlocks));
}

__device__ inline std::int64_t first_of_grid() {
  return std::int64_t{blockIdx.x} * kGridThreads + threadIdx.x;
}
__device__ inline std::int64_t size_of_grid() {
  return std::int64_t{gridDim.x} * kGridThreads;
}

}  // namespace stepscope::kernels
