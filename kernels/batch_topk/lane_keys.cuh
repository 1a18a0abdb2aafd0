// SPDX-License-Identifier: Apache-2.0
// The keys that a lane holds of a strip: compared with a bracket, one bit each, and written to the
// mask.
//
// A lane reads one or two pieces of 16 bytes; piece j of lane l are the columns of the strip's j-th
// part from l * keys a piece on, so that a warp's reads are contiguous. Two pieces, 32 bytes a
// lane, but one where a lane must also hold a mean and a scale for each 16-bit key.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels::batch_topk_device {

template <class T, bool kAffine>
struct LaneLayout {
  static constexpr int kPieces = kAffine && sizeof(T) == 2 ? 1 : 2;
  static constexpr int kPerPiece = 16 / static_cast<int>(sizeof(T));
  static constexpr int kKeys = kPieces * kPerPiece;
  static constexpr int kWords = kPieces * 4;
  static constexpr int kStripColumns = kKeys * kWarpSize;
  static constexpr int kPartColumns = kPerPiece * kWarpSize;
  static constexpr std::uint32_t kAllKeys = (1U << kKeys) - 1U;

  // Of key i within the strip.
  __device__ static std::uint32_t column(std::uint32_t lane, int i) {
    return static_cast<std::uint32_t>(i / kPerPiece * kPartColumns + i % kPerPiece) +
           lane * kPerPiece;
  }
};

template <class T, bool kAffine>
struct LaneWords {
  using Layout = LaneLayout<T, kAffine>;
  std::uint32_t word[Layout::kWords];

  // i known when compiled.
  __device__ std::uint32_t bits_of_key(int i) const {
    if constexpr (sizeof(T) == 4) return word[i];
    return i % 2 == 0 ? word[i / 2] & 0xffffU : word[i / 2] >> 16;
  }
  __device__ T key(int i) const {
    if constexpr (sizeof(T) == 4)
      return __uint_as_float(word[i]);
    else
      return T{static_cast<std::uint16_t>(bits_of_key(i))};
  }
  __device__ void put(int i, T key) {
    if constexpr (sizeof(T) == 4)
      word[i] = raw_bits(key);
    else
      word[i / 2] |= raw_bits(key) << (i % 2 * 16);
  }
};

// Bits of the keys that lie within the matrix, `columns_left` of it from the strip's begin on.
template <class T, bool kAffine>
__device__ inline std::uint32_t valid_keys(std::uint32_t columns_left, std::uint32_t lane) {
  using Layout = LaneLayout<T, kAffine>;
  if (columns_left >= Layout::kStripColumns) return Layout::kAllKeys;
  std::uint32_t valid = 0;
#pragma unroll
  for (int i = 0; i < Layout::kKeys; ++i)
    if (Layout::column(lane, i) < columns_left) valid |= 1U << i;
  return valid;
}

// A bracket's ends as numbers. Keys greater than high are above it; keys that are not less than low
// and not above need a closer look. NaN is such a key. Where the ends are numbers, no other key is
// above.
struct Ends {
  float low, high;
  bool exact;
};

template <class T>
__device__ inline Ends ends_of(std::uint32_t low, std::uint32_t high) {
  constexpr KeyType kType = KeyTypeOf<T>::value;
  using Traits = OrderedTraits<T>;
  constexpr std::uint32_t kLeast =
      ordered_bits<T>(Traits::kSign | Traits::kInfinity, NanRank::last);
  constexpr std::uint32_t kGreatest = ordered_bits<T>(Traits::kInfinity, NanRank::last);
  // A low above +inf is only NaN's: then all keys are looked at.
  const std::uint32_t least = low > kGreatest ? kLeast : max(low, kLeast);
  std::uint32_t greatest = max(min(high, kGreatest), kLeast);
  if (greatest == Traits::kSign - 1) --greatest;  // no number's key: as a number it would be zero
  return {float_of_ordered(least, kType), float_of_ordered(greatest, kType),
          low <= kGreatest && high >= kLeast};
}

// values[i] of kCount registers, i < kCount a power of two.
template <int kCount, class Value>
__device__ inline Value pick(const Value* values, int i) {
  if constexpr (kCount == 1) {
    return values[0];
  } else {
    const Value lower = pick<kCount / 2>(values, i);
    const Value upper = pick<kCount / 2>(values + kCount / 2, i);
    return (i & kCount / 2) != 0 ? upper : lower;
  }
}

struct Classes {
  std::uint32_t above, unclear;  // a bit a key
};

// Raw 16-bit keys, two in a word, compared in their own type.
template <class T>
class PackedKeys {
 public:
  using Key = T;
  using Layout = LaneLayout<T, false>;
  struct Limits {
    std::uint32_t low, high;  // each twice
    bool exact;
  };
  struct ColumnTerms {};

  __device__ PackedKeys(const LaneWords<T, false>& words, const ColumnTerms&) : words_(words) {}

  __device__ static Limits limits(std::uint32_t low, std::uint32_t high) {
    const Ends ends = ends_of<T>(low, high);
    return {twice(ends.low), twice(ends.high), ends.exact};
  }

  // Keys 2 i and 2 i + 1 of a piece are the halves of its word i.
  __device__ Classes classify(const Limits& limits) const {
    Classes classes{0, 0};
#pragma unroll
    for (int piece = 0; piece < Layout::kPieces; ++piece) {
      std::uint32_t above = 0;
      std::uint32_t not_below = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t bits = (1U << (2 * i)) | (2U << (2 * i + 16));
        above |= greater(words_.word[4 * piece + i], limits.high) & bits;
        not_below |= not_less(words_.word[4 * piece + i], limits.low) & bits;
      }
      classes.above |= ((above | above >> 16) & 0xffU) << (8 * piece);
      classes.unclear |= ((not_below | not_below >> 16) & 0xffU) << (8 * piece);
    }
    classes.unclear &= ~classes.above;
    return classes;
  }

  // The bits of key i.
  __device__ std::uint32_t bits(int i) const {
    const std::uint32_t word = pick<Layout::kWords>(words_.word, i / 2);
    return i % 2 == 0 ? word & 0xffffU : word >> 16;
  }

 private:
  using Pair = std::conditional_t<std::is_same_v<T, Bfloat16>, __nv_bfloat162, __half2>;

  __device__ static Pair pair_of(std::uint32_t word) {
    Pair pair;
    static_assert(sizeof pair == sizeof word);
    memcpy(&pair, &word, sizeof pair);
    return pair;
  }
  __device__ static std::uint32_t greater(std::uint32_t a, std::uint32_t b) {
    return __hgt2_mask(pair_of(a), pair_of(b));
  }
  __device__ static std::uint32_t not_less(std::uint32_t a, std::uint32_t b) {
    return __hgeu2_mask(pair_of(a), pair_of(b));
  }
  __device__ static std::uint32_t twice(float value) {
    std::uint32_t bits;
    if constexpr (std::is_same_v<T, Bfloat16>)
      bits = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    else
      bits = __half_as_ushort(__float2half_rn(value));
    return bits | bits << 16;
  }

  const LaneWords<T, false> words_;
};

// Keys as floats: raw float ones, and affine ones of any type. The two roundings of an affine key
// are those of the reference.
template <class T, bool kAffine>
class FloatKeys {
 public:
  using Key = float;
  using Layout = LaneLayout<T, kAffine>;
  using Limits = Ends;
  struct ColumnTerms {
    float mean[kAffine ? Layout::kKeys : 1], scale[kAffine ? Layout::kKeys : 1];
  };

  __device__ FloatKeys(const LaneWords<T, kAffine>& words, const ColumnTerms& terms) {
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      values_[i] = to_float(words.key(i));
      if constexpr (kAffine)
        values_[i] = __fmul_rn(__fsub_rn(values_[i], terms.mean[i]), terms.scale[i]);
    }
  }

  __device__ static Limits limits(std::uint32_t low, std::uint32_t high) {
    return ends_of<float>(low, high);
  }

  __device__ Classes classify(const Limits& limits) const {
    Classes classes{0, 0};
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      if (values_[i] > limits.high) classes.above |= 1U << i;
      if (!(values_[i] < limits.low)) classes.unclear |= 1U << i;
    }
    classes.unclear &= ~classes.above;
    return classes;
  }

  __device__ std::uint32_t bits(int i) const {
    return __float_as_uint(pick<Layout::kKeys>(values_, i));
  }

 private:
  float values_[Layout::kKeys];
};

template <class T, bool kAffine>
using LaneKeys =
    std::conditional_t<kAffine || sizeof(T) == 4, FloatKeys<T, kAffine>, PackedKeys<T>>;

template <class Key>
__device__ inline bool is_nan_bits(std::uint32_t bits) {
  return (bits & ~OrderedTraits<Key>::kSign) > OrderedTraits<Key>::kInfinity;
}

// The affine terms of a lane's columns, loaded again where the warp has moved to other columns.
template <class T, bool kAffine>
class TermsOfStrip {
 public:
  __device__ const auto& at(const float* mean, const float* scale, std::uint32_t strip_column,
                            std::uint32_t columns, std::uint32_t lane) {
    if constexpr (kAffine) {
      if (strip_column != column_) {
        column_ = strip_column;
#pragma unroll
        for (int i = 0; i < LaneLayout<T, kAffine>::kKeys; ++i) {
          const std::uint32_t column = strip_column + LaneLayout<T, kAffine>::column(lane, i);
          if (column < columns) terms_.mean[i] = mean[column];
          if (column < columns) terms_.scale[i] = scale[column];
        }
      }
    }
    return terms_;
  }

 private:
  std::uint32_t column_ = 0xffffffffU;
  typename LaneKeys<T, kAffine>::ColumnTerms terms_{};
};

// The whole warp writes a strip's bits, one a key, into the bytes of its row from `bytes` on;
// `bytes_left` of them belong to the row.
template <class T, bool kAffine>
__device__ inline void store_bits(std::uint8_t* bytes, std::uint32_t bytes_left, std::uint32_t bits,
                                  std::uint32_t lane) {
  if constexpr (sizeof(T) == 2) {
#pragma unroll
    for (int piece = 0; piece < LaneLayout<T, kAffine>::kPieces; ++piece) {
      const std::uint32_t at = lane + static_cast<std::uint32_t>(piece) * kWarpSize;
      if (at < bytes_left) bytes[at] = static_cast<std::uint8_t>(bits >> (8 * piece));
    }
  } else {
    // Neighbours exchange a half: even lanes complete a byte of the first part, odd ones of the
    // second.
    const bool odd = (lane & 1U) != 0;
    const std::uint32_t other = __shfl_xor_sync(kAllLanes, odd ? bits & 0xfU : bits >> 4, 1);
    const std::uint32_t byte = odd ? other | (bits & 0xf0U) : (bits & 0xfU) | other << 4;
    const std::uint32_t at = lane / 2 + (odd ? 16U : 0U);
    if (at < bytes_left) bytes[at] = static_cast<std::uint8_t>(byte);
  }
}

}  // namespace stepscope::kernels::batch_topk_device
