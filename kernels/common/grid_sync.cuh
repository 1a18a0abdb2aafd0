// SPDX-License-Identifier: Apache-2.0
// Order between blocks and between grids.
//
// A block hands on what it wrote by a release of a counter; who acquires the counter's value sees
// it. Kernels launched as programmatic dependents start early and must wait before they read what
// the grid before them wrote; on devices older than Hopper they are ordinary launches and both
// calls do nothing.
#pragma once

#include <cstdint>

namespace stepscope::kernels {

__device__ inline void wait_for_grid_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ inline void let_next_grid_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

__device__ inline std::uint32_t acquire_load(const std::uint32_t* address) {
  std::uint32_t value;
  asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ inline void release_store(std::uint32_t* address, std::uint32_t value) {
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
}

__device__ inline std::uint32_t acquire_release_add(std::uint32_t* address, std::uint32_t value) {
  std::uint32_t before;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(address), "r"(value)
               : "memory");
  return before;
}

// Called by a whole block: true in the block that came last of `blocks`, which then sees what all
// others wrote before their call.
__device__ inline bool is_last_block(std::uint32_t* arrived, std::uint32_t blocks) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = acquire_release_add(arrived, 1) == blocks - 1;
  __syncthreads();
  return last;
}

}  // namespace stepscope::kernels
