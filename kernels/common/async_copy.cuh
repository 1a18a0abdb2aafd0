// SPDX-License-Identifier: Apache-2.0
// Copies of 16 bytes from global to shared memory that run beside the thread that begins them. They
// close in groups, oldest first; waiting makes them visible to the thread itself.
//
// Memory is read by sectors of 32 bytes. Where a sector's two halves do not land in the same 32
// bytes of shared memory, it is fetched twice: a ring begins at a multiple of kRingAlignment, and
// so does what it mirrors.
#pragma once

#include <cstdint>

namespace stepscope::kernels {

constexpr int kRingAlignment = 128;

__device__ inline void copy_async(void* shared, const void* global) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
// For copies of which this share (above 0, at most 1) is of bytes that are read once: of the L2
// cache's lines they are the first to go, so that they do not drive out what is written meanwhile.
__device__ inline std::uint64_t read_once_policy(float share) {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(share));
  return policy;
}
// Four copies, some bytes apart.
template <int kToStep, int kFromStep>
__device__ inline void copy_four_async(void* shared, const void* global, std::uint64_t policy) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile(
      "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %3], [%1 + %4], 16, %2;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %5], [%1 + %6], 16, %2;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %7], [%1 + %8], 16, %2;\n" ::"r"(to),
      "l"(global), "l"(policy), "n"(kToStep), "n"(kFromStep), "n"(2 * kToStep), "n"(2 * kFromStep),
      "n"(3 * kToStep), "n"(3 * kFromStep)
      : "memory");
}
// Four copies from four addresses, of bytes that are read once.
template <int kToStep>
__device__ inline void copy_four_async_once(void* shared, const void* const (&global)[4]) {
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile(
      "{\n"
      ".reg .b64 once;\n"
      "createpolicy.fractional.L2::evict_first.b64 once, 1.0;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, once;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %5], [%2], 16, once;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %6], [%3], 16, once;\n"
      "cp.async.cg.shared.global.L2::cache_hint [%0 + %7], [%4], 16, once;\n"
      "}" ::"r"(to),
      "l"(global[0]), "l"(global[1]), "l"(global[2]), "l"(global[3]), "n"(kToStep),
      "n"(2 * kToStep), "n"(3 * kToStep)
      : "memory");
}
// A hint: brings some bytes, a multiple of 16, into the L2 cache.
__device__ inline void prefetch_to_l2([[maybe_unused]] const void* global,
                                      [[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
#endif
}
__device__ inline void close_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int kLeft>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

}  // namespace stepscope::kernels
