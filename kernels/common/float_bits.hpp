// SPDX-License-Identifier: Apache-2.0
// Bits of floating-point numbers, exact conversions of the 16-bit types to float, and rounding
// back; the same numbers on both sides, so that a kernel and its reference cannot differ here.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/common/host_device.hpp"
#include "kernels/common/key_types.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE inline std::uint32_t bits_of(float value) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(value);
#else
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

STEPSCOPE_HOST_DEVICE inline float float_of_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

STEPSCOPE_HOST_DEVICE inline float to_float(float value) {
  return value;
}

STEPSCOPE_HOST_DEVICE inline float to_float(Bfloat16 value) {
  return float_of_bits(static_cast<std::uint32_t>(value.bits) << 16);
}

// Half: sign 1, exponent 5 (bias 15), mantissa 10. Subnormals are mantissa * 2^-24, exact in float.
// A GPU converts in one instruction; which NaN a NaN becomes may differ.
STEPSCOPE_HOST_DEVICE inline float to_float(Float16 value) {
#ifdef __CUDA_ARCH__
  float converted;
  asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(value.bits));
  return converted;
#else
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1fU;
  const std::uint32_t mantissa = value.bits & 0x3ffU;
  if (exponent == 0x1fU) return float_of_bits(sign | 0x7f800000U | (mantissa << 13));
  if (exponent != 0) return float_of_bits(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8F;
  return float_of_bits(sign | bits_of(magnitude));
#endif
}

// Rounded to nearest, ties to even; a NaN stays one.
STEPSCOPE_HOST_DEVICE inline Bfloat16 to_bfloat16(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) return {0x7fc0U};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16 & 1U)) >> 16)};
}

}  // namespace stepscope::kernels
