// SPDX-License-Identifier: Apache-2.0
// Keys as unsigned integers that sort like the numbers: a < b exactly where ordered(a) <
// ordered(b).
//
//   0                the least: NaN where NaN ranks last; no number maps here
//   ...              -inf < negative numbers < zero (of either sign) < positive numbers < +inf
//   all bits set     the greatest: NaN where NaN ranks first (as torch has it)
//
// -0 and +0 are one key, all NaNs are one key. 16-bit types give 16-bit keys, float 32-bit ones, in
// the low bits of a uint32.
#pragma once

#include <cstdint>

#include "kernels/common/float_bits.hpp"
#include "kernels/common/host_device.hpp"
#include "kernels/common/key_types.hpp"

namespace stepscope::kernels {

enum class NanRank { last, first };

namespace ordered_detail {

// kSign, kInfinity: bits of the sign and of +inf; kAll: the type's bits.
template <std::uint32_t kSign, std::uint32_t kInfinity, std::uint32_t kAll>
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t order(std::uint32_t bits, NanRank nan) {
  const std::uint32_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) return nan == NanRank::first ? kAll : 0U;
  if (magnitude == 0) return kSign;
  return (bits & kSign) != 0 ? ~bits & kAll : bits | kSign;
}

}  // namespace ordered_detail

template <class T>
struct OrderedTraits;
template <>
struct OrderedTraits<Bfloat16> {
  static constexpr int kBits = 16;
  static constexpr std::uint32_t kSign = 0x8000U, kInfinity = 0x7f80U, kAll = 0xffffU;
  static constexpr std::uint32_t kNan = 0x7fc0U;
};
template <>
struct OrderedTraits<Float16> {
  static constexpr int kBits = 16;
  static constexpr std::uint32_t kSign = 0x8000U, kInfinity = 0x7c00U, kAll = 0xffffU;
  static constexpr std::uint32_t kNan = 0x7e00U;
};
template <>
struct OrderedTraits<float> {
  static constexpr int kBits = 32;
  static constexpr std::uint32_t kSign = 0x80000000U, kInfinity = 0x7f800000U, kAll = 0xffffffffU;
  static constexpr std::uint32_t kNan = 0x7fc00000U;
};

STEPSCOPE_HOST_DEVICE inline std::uint32_t raw_bits(Bfloat16 value) {
  return value.bits;
}
STEPSCOPE_HOST_DEVICE inline std::uint32_t raw_bits(Float16 value) {
  return value.bits;
}
STEPSCOPE_HOST_DEVICE inline std::uint32_t raw_bits(float value) {
  return bits_of(value);
}

template <class T>
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t ordered_bits(std::uint32_t bits, NanRank nan) {
  using Traits = OrderedTraits<T>;
  return ordered_detail::order<Traits::kSign, Traits::kInfinity, Traits::kAll>(bits, nan);
}

template <class T>
STEPSCOPE_HOST_DEVICE inline std::uint32_t ordered_key(T value, NanRank nan) {
  return ordered_bits<T>(raw_bits(value), nan);
}

// The bits of the number with this key: +0 for zero, a quiet NaN for both ends.
template <class T>
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t bits_of_ordered(std::uint32_t key) {
  using Traits = OrderedTraits<T>;
  if (key == 0 || key == Traits::kAll) return Traits::kNan;
  return (key & Traits::kSign) != 0 ? key & ~Traits::kSign : ~key & Traits::kAll;
}

STEPSCOPE_HOST_DEVICE inline float float_of_ordered(std::uint32_t key, KeyType type) {
  switch (type) {
    case KeyType::bfloat16:
      return to_float(Bfloat16{static_cast<std::uint16_t>(bits_of_ordered<Bfloat16>(key))});
    case KeyType::float16:
      return to_float(Float16{static_cast<std::uint16_t>(bits_of_ordered<Float16>(key))});
    case KeyType::float32:
      break;
  }
  return float_of_bits(bits_of_ordered<float>(key));
}

// Least keys of any number and of a positive number.
constexpr std::uint32_t kLeastNumberKey = 1;
template <class T>
constexpr std::uint32_t kLeastPositiveKey = OrderedTraits<T>::kSign + 1;

}  // namespace stepscope::kernels
