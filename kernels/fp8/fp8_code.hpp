// SPDX-License-Identifier: Apache-2.0
// Numbers in 8 bits (Micikevicius et al. 2022, FP8 Formats for Deep Learning), and the scale of a
// tensor that makes the best of their range.
//
//   e4m3  4 bits of exponent, 3 of mantissa: 2^-9 to 448, no infinity
//   e5m2  5 bits of exponent, 2 of mantissa: 2^-16 to 57,344
//
// A number is rounded to nearest, ties to even; beyond the greatest it becomes the greatest. What
// is not finite becomes a NaN, so that a training that has failed is seen to have.
//
// Scales are powers of two: multiplying by one, or by its inverse, rounds nothing.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/common/float_bits.hpp"
#include "kernels/common/host_device.hpp"
#include "kernels/fp8/fp8_format.hpp"

namespace stepscope::kernels {

struct Fp8Layout {
  int mantissa_bits, least_exponent;  // normal numbers' least exponent
  float greatest;
};
STEPSCOPE_HOST_DEVICE constexpr Fp8Layout layout_of(Fp8Format format) {
  return format == Fp8Format::e4m3 ? Fp8Layout{3, -6, 448.0F} : Fp8Layout{2, -14, 57344.0F};
}

inline constexpr std::uint8_t kFp8NotANumber = 0x7f;
// Bits of a float's infinity: from here on not finite.
inline constexpr std::uint32_t kFp8Infinity = 0x7f800000U;

STEPSCOPE_HOST_DEVICE inline float power_of_two(int exponent) {
  return float_of_bits(static_cast<std::uint32_t>(exponent + 127) << 23);
}

// The host's way; a GPU has an instruction for it.
inline std::uint8_t to_fp8(Fp8Format format, float number) {
  const Fp8Layout layout = layout_of(format);
  const std::uint32_t bits = bits_of(number), magnitude = bits & 0x7fffffffU;
  if (magnitude >= kFp8Infinity) return kFp8NotANumber;
  const float size = std::fmin(float_of_bits(magnitude), layout.greatest);
  const int own = static_cast<int>(bits_of(size) >> 23) - 127;
  const int exponent = own > layout.least_exponent ? own : layout.least_exponent;
  // The magnitude in last places of its power of two; one too many carries into the exponent.
  const auto places =
      static_cast<int>(std::nearbyint(size * power_of_two(layout.mantissa_bits - exponent)));
  const int code = ((exponent - layout.least_exponent) << layout.mantissa_bits) + places;
  return static_cast<std::uint8_t>(static_cast<unsigned>(code) | (bits >> 24 & 0x80U));
}

// Converts number * scale. Where the number is finite and the product is not, the result is the
// format's greatest.
inline std::uint8_t to_fp8(Fp8Format format, float number, float scale) {
  const bool finite = (bits_of(number) & 0x7fffffffU) < kFp8Infinity;
  const float product = number * scale;
  const float most = std::copysign(layout_of(format).greatest, number);
  return to_fp8(format, finite && std::isinf(product) ? most : product);
}

inline float from_fp8(Fp8Format format, std::uint8_t code) {
  const Fp8Layout layout = layout_of(format);
  const int magnitude = code & 0x7f;
  const bool finite = format == Fp8Format::e4m3 ? magnitude != 0x7f : magnitude < 0x7c;
  if (!finite) return float_of_bits(0x7fc00000U);
  const int field = magnitude >> layout.mantissa_bits;
  const int places = magnitude & ((1 << layout.mantissa_bits) - 1);
  const int hidden = field > 0 ? 1 << layout.mantissa_bits : 0;
  const int exponent = layout.least_exponent + (field > 0 ? field - 1 : 0) - layout.mantissa_bits;
  const float size = static_cast<float>(places + hidden) * power_of_two(exponent);
  return (code & 0x80U) != 0 ? -size : size;
}

// The greatest power of two that takes `amax`, a tensor's greatest magnitude, to no more than
// `greatest`; 1 where a tensor is all zeros, is empty or is not finite.
STEPSCOPE_HOST_DEVICE inline float fp8_scale(float amax, float greatest) {
  if (bits_of(amax) - 1 >= kFp8Infinity - 1) return 1;   // 0, infinity, NaN, below zero
  constexpr float kMost = 0x1p100F, kLeast = 0x1p-100F;  // their inverses are normal numbers
  const float quotient = greatest / amax;
  if (quotient >= kMost) return kMost;
  if (quotient <= kLeast) return kLeast;
  return float_of_bits(bits_of(quotient) & kFp8Infinity);
}

}  // namespace stepscope::kernels
