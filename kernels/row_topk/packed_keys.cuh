// SPDX-License-Identifier: Apache-2.0
// Words of keys as they are stored, two of 16 bits or one of 32 each, compared as floating-point
// numbers by the hardware: two keys an instruction, -0 and +0 equal. That
// order is coarser than that of selection: it gives bounds, never answers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels::row_topk_device {

template <class To, class From>
__device__ inline To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

template <class T>
struct PackedKeys;

// reaching(): all bits of each key that is not less than the bound's, NaN included.
template <>
struct PackedKeys<Bfloat16> {
  static constexpr std::uint32_t kNegativeInfinities = 0xff80ff80U;

  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    std::uint32_t greater;
    asm("max.bf16x2 %0, %1, %2;" : "=r"(greater) : "r"(a), "r"(b));
    return greater;
  }
  __device__ static std::uint32_t reaching(std::uint32_t keys, std::uint32_t bounds) {
    const auto two = same_bits<__nv_bfloat162>(keys);
    const auto least = same_bits<__nv_bfloat162>(bounds);
    return __hgeu2_mask(two, least);
  }
};

template <>
struct PackedKeys<Float16> {
  static constexpr std::uint32_t kNegativeInfinities = 0xfc00fc00U;

  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    std::uint32_t greater;
    asm("max.f16x2 %0, %1, %2;" : "=r"(greater) : "r"(a), "r"(b));
    return greater;
  }
  __device__ static std::uint32_t reaching(std::uint32_t keys, std::uint32_t bounds) {
    const auto two = same_bits<__half2>(keys);
    const auto least = same_bits<__half2>(bounds);
    return __hgeu2_mask(two, least);
  }
};

template <>
struct PackedKeys<float> {
  static constexpr std::uint32_t kNegativeInfinities = 0xff800000U;

  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    float greater;
    asm("max.f32 %0, %1, %2;" : "=f"(greater) : "f"(__uint_as_float(a)), "f"(__uint_as_float(b)));
    return __float_as_uint(greater);
  }
  __device__ static std::uint32_t reaching(std::uint32_t key, std::uint32_t bound) {
    return __uint_as_float(key) < __uint_as_float(bound) ? 0U : 0xffffffffU;
  }
};

// The keys of one thread that are looked at together.
template <class T>
struct Unit {
  static constexpr std::uint32_t kPieces = 4;
  static constexpr std::uint32_t kWords = kPieces * 4;
  static constexpr bool kTwoAWord = sizeof(T) == 2;

  std::uint32_t word[kWords];

  // A bit for each key that reaches the bound, which each half of `bounds` holds.
  __device__ std::uint32_t reaching(std::uint32_t bounds) const {
    std::uint32_t keys = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kWords; ++i)
      keys |= PackedKeys<T>::reaching(word[i], bounds) & bits_of_word(i);
    return keys;
  }
  // Return the place within its piece, and the piece, of the key that has this bit.
  __device__ static std::uint32_t in_piece(std::uint32_t bit) {
    return kTwoAWord ? bit % 4 * 2 + bit / kWords : bit % 4;
  }
  __device__ static std::uint32_t piece(std::uint32_t bit) {
    return bit % kWords / 4;
  }

 private:
  __device__ static constexpr std::uint32_t bits_of_word(std::uint32_t i) {
    return kTwoAWord ? 0x10001U << i : 1U << i;
  }
};

// The greatest keys of four groups of all that a thread looked at. A key that is not below so many
// of a block's groups' greatest is not below as many of all keys.
template <class T>
class Greatest {
 public:
  static constexpr std::uint32_t kGroups = 4;

  __device__ void look_at(const Unit<T>& unit) {
#pragma unroll
    for (std::uint32_t i = 0; i < Unit<T>::kWords; ++i)
      word_[i % kUsed] = PackedKeys<T>::greater(word_[i % kUsed], unit.word[i]);
  }
  // The upper 16 bits of a group's ordered key, or one less where that is -0's. No group's
  // greatest is NaN, since each began with a number.
  __device__ std::uint32_t ordered(std::uint32_t group) const {
    if constexpr (sizeof(T) == 4) return ordered_numbers(word_[group]) >> 16;
    return ordered_numbers(word_[group / 2]) >> (group % 2 * 16) & 0xffffU;
  }

 private:
  // Their order is that of ordered_bits, but that -0 is less than 0.
  __device__ static std::uint32_t ordered_numbers(std::uint32_t word) {
    constexpr std::uint32_t kLowest = sizeof(T) == 4 ? 1U : 0x10001U;
    constexpr int kBits = OrderedTraits<T>::kBits;
    const std::uint32_t negative = word >> (kBits - 1) & kLowest;
    const std::uint32_t ones = sizeof(T) == 4 ? 0U - negative : (negative << 16) - negative;
    return word ^ (ones | kLowest << (kBits - 1));
  }

  static constexpr std::uint32_t kNone = PackedKeys<T>::kNegativeInfinities;
  static constexpr std::uint32_t kUsed = sizeof(T);  // words
  std::uint32_t word_[4] = {kNone, kNone, kNone, kNone};
};

}  // namespace stepscope::kernels::row_topk_device
