// SPDX-License-Identifier: Apache-2.0
// A bracket's ends as numbers of the keys' own type, and the comparison of a lane's keys with them.
//
// Keys greater than the upper end are above the bracket, keys less than the lower end below; the
// others, NaN among them, need a closer look. Affine keys are compared as they are stored, with
// ends of their column's: for a positive scale the affine key never falls where the stored one
// rises, so an end in the stored keys is sound where the affine key of one number beyond it is
// beyond the bracket. Such an end is guessed some way outside and tried; where that fails, all keys
// of the column get the closer look.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/batch_topk/lane_keys.cuh"

namespace stepscope::kernels::batch_topk_device {

// exact: where the ends are numbers, so that the keys between them are all that are not NaN.
struct Ends {
  float low, high;
  bool exact;
};

template <class Key>
__device__ inline Ends ends_of(std::uint32_t low, std::uint32_t high) {
  constexpr KeyType kType = KeyTypeOf<Key>::value;
  using Traits = OrderedTraits<Key>;
  constexpr std::uint32_t kLeast =
      ordered_bits<Key>(Traits::kSign | Traits::kInfinity, NanRank::last);
  constexpr std::uint32_t kGreatest = ordered_bits<Key>(Traits::kInfinity, NanRank::last);
  const std::uint32_t least = max(min(low, kGreatest), kLeast);  // above +inf is NaN alone
  std::uint32_t greatest = max(min(high, kGreatest), kLeast);
  if (greatest == Traits::kSign - 1) --greatest;  // no number's key: as a number it would be zero
  return {float_of_ordered(least, kType), float_of_ordered(greatest, kType),
          low <= kGreatest && high >= kLeast};
}

// The two roundings are those of the reference.
__device__ inline float affine_key(float stored, float mean, float scale) {
  return __fmul_rn(__fsub_rn(stored, mean), scale);
}

// Ends in stored keys of one column.
__device__ inline Ends ends_of_column(const Ends& ends, float mean, float scale) {
  const float infinity = __int_as_float(0x7f800000);
  const float reciprocal = __fdividef(1.0F, scale);
  const auto beyond = [&](float end, float direction) {
    const float distance = end * reciprocal;
    const float guess = distance + mean;
    return guess + direction * (0x1p-20F * (fabsf(distance) + fabsf(mean)) + 0x1p-120F);
  };
  const float high = beyond(ends.high, 1);
  const float low = beyond(ends.low, -1);
  return {scale > 0 && affine_key(low, mean, scale) < ends.low ? low : -infinity,
          scale > 0 && affine_key(high, mean, scale) > ends.high ? high : infinity, false};
}

// Words of two 16-bit keys.
template <class T>
struct PackedEnds {
  using Word = std::uint32_t;
  using Pair = std::conditional_t<std::is_same_v<T, Bfloat16>, __nv_bfloat162, __half2>;
  static constexpr int kKeysOfWord = 2;

  __device__ static Pair pair_of(std::uint32_t word) {
    Pair pair;
    static_assert(sizeof pair == sizeof word);
    memcpy(&pair, &word, sizeof pair);
    return pair;
  }
  // The greatest number that is not above the value, and the least not below it.
  __device__ static std::uint32_t rounded_down(float value) {
    if constexpr (std::is_same_v<T, Float16>) return __half_as_ushort(__float2half_rd(value));
    const std::uint32_t bits = __float_as_uint(value);
    return (bits + (value < 0 ? 0xffffU : 0U)) >> 16;
  }
  __device__ static std::uint32_t rounded_up(float value) {
    if constexpr (std::is_same_v<T, Float16>) return __half_as_ushort(__float2half_ru(value));
    const std::uint32_t bits = __float_as_uint(value);
    return (bits + (value > 0 ? 0xffffU : 0U)) >> 16;
  }

  __device__ static Word word_of(const std::uint32_t (&keys)[kKeysOfWord]) {
    return keys[0] | keys[1] << 16;
  }
  __device__ static std::uint32_t high_key(const Ends& ends) { return rounded_down(ends.high); }
  __device__ static std::uint32_t low_key(const Ends& ends) { return rounded_up(ends.low); }
};

struct FloatEnds {
  using Word = float;
  static constexpr int kKeysOfWord = 1;

  __device__ static Word word_of(const float (&keys)[kKeysOfWord]) { return keys[0]; }
  __device__ static float high_key(const Ends& ends) { return ends.high; }
  // A low of zero is -0, so that no zero's difference from it is -0.
  __device__ static float low_key(const Ends& ends) { return ends.low == 0 ? -0.0F : ends.low; }
};

template <class T>
using EndsIn = std::conditional_t<sizeof(T) == 4, FloatEnds, PackedEnds<T>>;

// The ends for each word of a lane, the same for all columns.
template <class T>
class UniformLimits {
 public:
  __device__ explicit UniformLimits(const Ends& ends)
      : low_(of_all(EndsIn<T>::low_key(ends))), high_(of_all(EndsIn<T>::high_key(ends))) {}

  __device__ typename EndsIn<T>::Word low(int) const { return low_; }
  __device__ typename EndsIn<T>::Word high(int) const { return high_; }

 private:
  template <class Key>
  __device__ static typename EndsIn<T>::Word of_all(Key key) {
    if constexpr (sizeof(T) == 4)
      return key;
    else
      return key | key << 16;
  }
  const typename EndsIn<T>::Word low_, high_;
};

// The ends for each word of a lane, those of its columns.
template <class T>
class ColumnLimits {
 public:
  using Layout = LaneLayout<T>;
  using In = EndsIn<T>;

  __device__ explicit ColumnLimits(const Ends& ends) : ends_(ends) {}

  // Moves the limits to the columns of a strip from strip_column on; those of columns past the end
  // are ignored.
  __device__ void move_to(const float* mean, const float* scale, std::uint32_t strip_column,
                          std::uint32_t columns, std::uint32_t lane) {
    if (strip_column == column_) return;
    column_ = strip_column;
#pragma unroll
    for (int word = 0; word < Layout::kWords; ++word) {
      decltype(In::low_key(ends_)) low[In::kKeysOfWord];
      decltype(In::high_key(ends_)) high[In::kKeysOfWord];
#pragma unroll
      for (int i = 0; i < In::kKeysOfWord; ++i) {
        const std::uint32_t column =
            min(strip_column + Layout::column(lane, word * In::kKeysOfWord + i), columns - 1);
        const Ends own = ends_of_column(ends_, mean[column], scale[column]);
        low[i] = In::low_key(own);
        high[i] = In::high_key(own);
      }
      low_[word] = In::word_of(low);
      high_[word] = In::word_of(high);
    }
  }

  __device__ typename In::Word low(int word) const {
    return low_[word];
  }
  __device__ typename In::Word high(int word) const {
    return high_[word];
  }

 private:
  const Ends ends_;
  std::uint32_t column_ = 0xffffffffU;
  typename In::Word low_[Layout::kWords], high_[Layout::kWords];
};

struct Classes {
  std::uint32_t above, unclear;  // a bit a key
};

// Classifies 16-bit keys, two at a time. Keys 2 i and 2 i + 1 are the halves of word i, out of
// eight: its comparison leaves bit 2 i and, 16 higher, bit 2 i + 1.
template <class T, int kPieces, class Limits>
__device__ inline Classes classify(const LaneWords<T, kPieces>& words,
                                   const Limits& limits) requires(sizeof(T) == 2) {
  using In = PackedEnds<T>;
  constexpr int kWords = LaneLayout<T, kPieces>::kWords;
  constexpr int kWordsOfHalf = 8;
  std::uint32_t above[2] = {};
  std::uint32_t not_below[2] = {};
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    const int at = 2 * (i % kWordsOfHalf);
    const std::uint32_t bits = (1U << at) | (2U << (at + 16));
    const auto keys = In::pair_of(words.word[i]);
    above[i / kWordsOfHalf] |= __hgt2_mask(keys, In::pair_of(limits.high(i))) & bits;
    not_below[i / kWordsOfHalf] |= __hgeu2_mask(keys, In::pair_of(limits.low(i))) & bits;
  }
  const auto joined = [](const std::uint32_t(&halves)[2]) {
    return __byte_perm(halves[0], halves[1], 0x5410) | __byte_perm(halves[0], halves[1], 0x7632);
  };
  return {joined(above), joined(not_below) & ~joined(above)};
}

// Floats, by the signs of differences, shifted in: a difference of unequal numbers is never zero,
// and that with a NaN, or of equal infinities, is a NaN without a sign.
template <class T, int kPieces, class Limits>
__device__ inline Classes classify(const LaneWords<T, kPieces>& words,
                                   const Limits& limits) requires(sizeof(T) == 4) {
  using Layout = LaneLayout<T, kPieces>;
  const auto with_sign = [](std::uint32_t bits, float value) {
    return __funnelshift_l(__float_as_uint(value), bits, 1);
  };
  std::uint32_t above = 0;
  std::uint32_t below = 0;
#pragma unroll
  for (int i = Layout::kKeys - 1; i >= 0; --i) {
    const float key = words.key(i);
    above = with_sign(above, __fsub_rn(limits.high(i), key));
    below = with_sign(below, __fsub_rn(key, limits.low(i)));
  }
  return {above, ~(above | below) & Layout::kAllKeys};
}

}  // namespace stepscope::kernels::batch_topk_device
