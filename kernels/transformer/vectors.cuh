// SPDX-License-Identifier: Apache-2.0
// Runs of numbers of a type as floats: kVector at once, 16 bytes an access or one number.
// Reductions over a warp and a block.
#pragma once

#include <cuda_runtime.h>

#include "kernels/common/float_bits.hpp"
#include "kernels/common/numbers.cuh"

namespace stepscope::kernels::transformer_device {

constexpr int kWarp = 32;

__device__ inline void store_one(float* to, float number) {
  *to = number;
}
__device__ inline void store_one(Bfloat16* to, float number) {
  *to = to_bfloat16(number);
}

// Rounded to the type, as it will be read again.
template <class T>
__device__ float rounded(float number) {
  if constexpr (sizeof(T) == 4) return number;
  return to_float(to_bfloat16(number));
}

template <int kVector, class T>
__device__ void load_vector(const T* from, float (&numbers)[kVector]) {
  if constexpr (kVector == 1) {
    numbers[0] = to_float(*from);
  } else {
    static_assert(kVector == kNumbersOf16Bytes<T>);
    unpack<T>(*reinterpret_cast<const uint4*>(from), numbers);
  }
}

template <int kVector, class T>
__device__ void store_vector(T* to, const float (&numbers)[kVector]) {
  if constexpr (kVector == 1) {
    store_one(to, numbers[0]);
  } else if constexpr (sizeof(T) == 4) {
    *reinterpret_cast<float4*>(to) = float4{numbers[0], numbers[1], numbers[2], numbers[3]};
  } else {
    *reinterpret_cast<uint4*>(to) =
        uint4{two_bfloat16(numbers[0], numbers[1]), two_bfloat16(numbers[2], numbers[3]),
              two_bfloat16(numbers[4], numbers[5]), two_bfloat16(numbers[6], numbers[7])};
  }
}

// Every lane has it.
__device__ inline float warp_sum(float number) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2)
    number += __shfl_xor_sync(0xffffffffU, number, offset);
  return number;
}

// Whether rows of so many numbers can be read 16 bytes an access, from that address on.
template <class T>
bool fits_vectors(std::int64_t width) {
  return width % kNumbersOf16Bytes<T> == 0;
}

}  // namespace stepscope::kernels::transformer_device
