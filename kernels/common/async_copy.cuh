// SPDX-License-Identifier: Apache-2.0
// Copies of 16 bytes from global to shared memory that run beside the thread that begins them. They
// close in groups, oldest first; waiting makes them visible to the thread itself.
#pragma once

#include <cstdint>

namespace stepscope::kernels {

__device__ inline void copy_async(void* shared, const void* global) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
__device__ inline void close_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kLeft>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

}  // namespace stepscope::kernels
