// SPDX-License-Identifier: Apache-2.0
// Runs of bf16 or fp32 numbers read and written as floats, 16 bytes an access where there are as
// many. Loads go past the L1 cache: what uses these reads nothing twice on one multiprocessor.
#pragma once

#include <cstdint>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels {

template <class T>
constexpr int kNumbersOf16Bytes = 16 / static_cast<int>(sizeof(T));

__device__ inline float low_bfloat16(std::uint32_t two) {
  return float_of_bits(two << 16);
}
__device__ inline float high_bfloat16(std::uint32_t two) {
  return float_of_bits(two & 0xffff0000U);
}
__device__ inline std::uint32_t two_bfloat16(float low, float high) {
  return to_bfloat16(low).bits | static_cast<std::uint32_t>(to_bfloat16(high).bits) << 16;
}

template <class T>
__device__ inline void unpack(const uint4& bits, float (&numbers)[kNumbersOf16Bytes<T>]) {
  const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if constexpr (sizeof(T) == 4) {
      numbers[i] = float_of_bits(words[i]);
    } else {
      numbers[2 * i] = low_bfloat16(words[i]);
      numbers[2 * i + 1] = high_bfloat16(words[i]);
    }
  }
}

__device__ inline float4 load_four(const float* from) {
  return __ldcg(reinterpret_cast<const float4*>(from));
}
__device__ inline float4 load_four(const Bfloat16* from) {
  const uint2 bits = __ldcg(reinterpret_cast<const uint2*>(from));
  return {low_bfloat16(bits.x), high_bfloat16(bits.x), low_bfloat16(bits.y), high_bfloat16(bits.y)};
}

// Brings the 128 bytes at this address into the L2 cache.
__device__ inline void prefetch_line(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

// Stores numbers that are not read again soon: the caches are left to what is.
__device__ inline void store_four(float* to, const float4& four) {
  __stcs(reinterpret_cast<float4*>(to), four);
}
__device__ inline void store_four(Bfloat16* to, const float4& four) {
  __stcs(reinterpret_cast<uint2*>(to),
         uint2{two_bfloat16(four.x, four.y), two_bfloat16(four.z, four.w)});
}

// kCount is a multiple of 4; `index` counts numbers of the type.
template <int kCount>
__device__ inline void load_numbers(const void* data, KeyType type, std::int64_t index,
                                    float (&numbers)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const float4 four = type == KeyType::float32
                            ? load_four(static_cast<const float*>(data) + index + i)
                            : load_four(static_cast<const Bfloat16*>(data) + index + i);
    numbers[i] = four.x, numbers[i + 1] = four.y;
    numbers[i + 2] = four.z, numbers[i + 3] = four.w;
  }
}

template <int kCount>
__device__ inline void store_numbers(void* data, KeyType type, std::int64_t index,
                                     const float (&numbers)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; i += 4) {
    const float4 four{numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]};
    if (type == KeyType::float32)
      store_four(static_cast<float*>(data) + index + i, four);
    else
      store_four(static_cast<Bfloat16*>(data) + index + i, four);
  }
}

// Loads a number of any type.
__device__ inline float load_number(const void* data, KeyType type, std::int64_t index) {
  switch (type) {
    case KeyType::bfloat16:
      return to_float(static_cast<const Bfloat16*>(data)[index]);
    case KeyType::float16:
      return to_float(static_cast<const Float16*>(data)[index]);
    case KeyType::float32:
      break;
  }
  return static_cast<const float*>(data)[index];
}

}  // namespace stepscope::kernels
