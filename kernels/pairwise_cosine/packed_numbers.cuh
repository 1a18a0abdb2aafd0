// SPDX-License-Identifier: Apache-2.0
// Holds some numbers of a type as they lie in memory, 16 bytes or one number, to be read and
// written at once.
#pragma once

#include <cstdint>

#include "kernels/common/float_bits.hpp"

namespace stepscope::kernels::pairwise_cosine_device {

// Returns how many pieces of 16 bytes hold that many floats.
inline __host__ __device__ std::int64_t floats_in_pieces(std::int64_t floats) {
  return (floats + 3) / 4;
}

__device__ inline void assign(float& to, float number) {
  to = number;
}
__device__ inline void assign(Bfloat16& to, float number) {
  to = to_bfloat16(number);
}
__device__ inline void assign(Float16& to, float number) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(number));
}

template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Packed {
  T numbers[kCount];

  __device__ Packed() {
#pragma unroll
    for (int i = 0; i < kCount; ++i) assign(numbers[i], 0);
  }
  __device__ explicit Packed(const T* from) {
    *this = *reinterpret_cast<const Packed*>(from);
  }

  __device__ void store(T* to) const {
    *reinterpret_cast<Packed*>(to) = *this;
  }
  __device__ float at(int i) const {
    return to_float(numbers[i]);
  }
  __device__ void set(int i, float number) {
    assign(numbers[i], number);
  }
};

}  // namespace stepscope::kernels::pairwise_cosine_device
