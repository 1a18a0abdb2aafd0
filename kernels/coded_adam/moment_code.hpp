// SPDX-License-Identifier: Apache-2.0
// Adam's moments in 8 bits each. A block of up to 256 numbers has a scale for each moment; a code is
// a small float, taken from and made to the bits of a float32 by a shift and one fma:
//
//   first moment    sign, 4 bits of exponent, 3 of mantissa: 2^-18 to 1.875 times the scale
//   second moment   5 bits of exponent, 3 of mantissa:       2^-34 to 1.875 times the scale
//
// A code with exponent e and mantissa m is ((1 + m / 8) 2^e - 1) unit scale, unit = 2^-15 or 2^-31:
// the 1 that is taken off makes code 0 the number 0, and steps even down to it. A block's greatest
// gets the greatest code.
//
// A number between two codes is rounded up with the probability of its place between them. So an
// average that moves by less than a code's step each time moves as it should, in the mean. The chance
// comes from a hash of the parameter's index and the step: it is the same on every run. It has 16
// bits, centred, so that a number within 7 units in the last place of a code's gets that code: where
// moments only decay, codes stay and the scale alone changes.
//
// A second moment of 2^-125 or more never becomes 0: the next step would be first / epsilon long.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/common/float_bits.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

inline constexpr std::int64_t kCodedBlock = 256;

// The scales of a block. A scale whose unit is no normal float is 0, as its block's moments are:
// first moments below 4e-34 and second ones below 4e-29, which any usual epsilon outweighs.
struct MomentScales {
  float first = 0, second = 0;
};

namespace moment_code {

inline constexpr int kMantissaBits = 20;  // bits of a float32 below the 3 that a code has
inline constexpr std::uint32_t kFirstZero = 0x38000000U, kSecondZero = 0x30000000U;  // unit's bits
inline constexpr float kFirstUnit = 0x1p-15F, kSecondUnit = 0x1p-31F;
inline constexpr float kFirstGreatest = 1.875F - kFirstUnit, kSecondGreatest = 1.875F;
inline constexpr float kLeastFirst = 0x1p-126F / kFirstUnit;
inline constexpr float kLeastSecond = 0x1p-126F / kSecondUnit;
inline constexpr std::uint32_t kOneCode = 1U << 24;  // in a word; the bits of 2^-125, too

STEPSCOPE_HOST_DEVICE inline float number(std::uint32_t code, std::uint32_t zero, float unit,
                                          float scale) {
  return fmaf(float_of_bits(code << kMantissaBits | zero), scale, -unit * scale);
}

// The sum's uppermost byte is the code, or the code with its upper bit set where it has 7 bits. The
// chance is a code's step, 2^24, times a number of [0, 1).
STEPSCOPE_HOST_DEVICE inline std::uint32_t rounded(float magnitude, float per_scale, float unit,
                                                   std::uint32_t chance) {
  return (bits_of(fmaf(magnitude, per_scale, unit)) << 4) + chance;
}

// Written so that a NaN stays one.
STEPSCOPE_HOST_DEVICE inline MomentScales kept(float first, float second) {
  return {first < kLeastFirst ? 0.0F : first, second < kLeastSecond ? 0.0F : second};
}

// 0 of 0. On a device the rounded reciprocal of scales below 2^125, without the branches that others
// would need.
STEPSCOPE_HOST_DEVICE inline float inverse(float scale) {
#ifdef __CUDA_ARCH__
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(scale));
  const float rounded = fmaf(near, fmaf(-scale, near, 1.0F), near);
#else
  const float rounded = 1 / scale;
#endif
  return scale > 0 ? rounded : 0.0F;
}

}  // namespace moment_code

STEPSCOPE_HOST_DEVICE inline float first_moment(std::uint32_t code, float scale) {
  using namespace moment_code;
  const float magnitude = number(code & 0x7fU, kFirstZero, kFirstUnit, scale);
  return float_of_bits(bits_of(magnitude) | (code & 0x80U) << 24);
}
STEPSCOPE_HOST_DEVICE inline float second_moment(std::uint32_t code, float scale) {
  using namespace moment_code;
  return number(code & 0xffU, kSecondZero, kSecondUnit, scale);
}

// The scales of a block whose greatest magnitudes are these.
STEPSCOPE_HOST_DEVICE inline MomentScales scales_of(float greatest_first, float greatest_second) {
  using namespace moment_code;
  return kept(greatest_first * (1 / kFirstGreatest), greatest_second * (1 / kSecondGreatest));
}
// The factors by which numbers are divided by scales.
STEPSCOPE_HOST_DEVICE inline MomentScales per_scale(const MomentScales& scales) {
  return {moment_code::inverse(scales.first), moment_code::inverse(scales.second)};
}

// The hash's key of a step.
STEPSCOPE_HOST_DEVICE inline std::uint32_t rounding_key(std::int64_t step) {
  std::uint32_t key = static_cast<std::uint32_t>(step) * 0x9e3779b9U + 0x7f4a7c15U;
  key = (key ^ key >> 16) * 0x21f0aaadU;
  key = (key ^ key >> 15) * 0x735a2d97U;
  return key ^ key >> 15;
}
// The chances of both moments of one parameter: the upper and the lower 16 bits.
STEPSCOPE_HOST_DEVICE inline std::uint32_t rounding_chances(std::uint32_t key,
                                                            std::uint32_t index) {
  const std::uint32_t chances = (index + key) * 0x9e3779b1U;
  return (chances ^ chances >> 15) * 0x85ebca77U;
}

// The codes are the words' uppermost bytes.
STEPSCOPE_HOST_DEVICE inline std::uint32_t first_code_word(float moment, float per_scale,
                                                           std::uint32_t chances) {
  using namespace moment_code;
  const std::uint32_t bits = bits_of(moment), chance = (chances >> 8 & 0xffff00U) | 0x80U;
  return rounded(float_of_bits(bits & 0x7fffffffU), per_scale, kFirstUnit, chance) &
         (bits | 0x7fffffffU);
}
STEPSCOPE_HOST_DEVICE inline std::uint32_t second_code_word(float moment, float per_scale,
                                                            std::uint32_t chances) {
  using namespace moment_code;
  const std::uint32_t chance = (chances << 8 & 0xffff00U) | 0x80U;
  const std::uint32_t word = rounded(moment, per_scale, kSecondUnit, chance);
  const std::uint32_t bits = bits_of(moment), least = bits < kOneCode ? bits : kOneCode;
  return word < least ? least : word;
}

// The scales of a block whose moments only decay.
STEPSCOPE_HOST_DEVICE inline MomentScales decayed(const MomentScales& scales, float keeps_first,
                                                  float keeps_second) {
  using namespace moment_code;
  return kept(scales.first * keeps_first, scales.second * keeps_second);
}

}  // namespace stepscope::kernels
