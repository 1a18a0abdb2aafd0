// SPDX-License-Identifier: Apache-2.0
// The keys of a strip that a lane holds, and the bits that it writes for them.
//
// A lane reads some pieces of 16 bytes; piece j of lane l are the columns of the strip's j-th part
// from l * keys a piece on, so that a warp's reads are contiguous.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels::batch_topk_device {

template <class T, int kPiecesOfLane = 2>
struct LaneLayout {
  static constexpr int kPieces = kPiecesOfLane;
  static constexpr int kPerPiece = 16 / static_cast<int>(sizeof(T));
  static constexpr int kKeys = kPieces * kPerPiece;
  static constexpr int kWords = kPieces * 4;
  static constexpr int kStripColumns = kKeys * kWarpSize;
  static constexpr int kPartColumns = kPerPiece * kWarpSize;
  static_assert(kKeys <= 32);
  static constexpr std::uint32_t kAllKeys = 0xffffffffU >> (32 - kKeys);

  // Returns the column of key i within the strip. Unsigned, so that divisions are shifts where i is
  // not known when compiled.
  template <class Index>
  __device__ static std::uint32_t column(std::uint32_t lane, Index i) {
    const auto at = static_cast<std::uint32_t>(i);
    constexpr std::uint32_t kEach = kPerPiece;
    return at / kEach * kPartColumns + at % kEach + lane * kEach;
  }
};

template <class T, int kPiecesOfLane = 2>
struct LaneWords {
  using Layout = LaneLayout<T, kPiecesOfLane>;
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
  // Returns the distance of key i from the lane's first key, in entries.
  __device__ std::uint64_t offset(std::uint32_t i) const {
    return Layout::column(0, i);
  }
  // Returns the bits of any key i, known at run time: all words are looked at.
  __device__ std::uint32_t bits_of_any_key(std::uint32_t i) const {
    constexpr std::uint32_t kKeysOfWord = 4 / sizeof(T);
    std::uint32_t found = 0;
#pragma unroll
    for (std::uint32_t at = 0; at < Layout::kWords; ++at)
      if (i / kKeysOfWord == at) found = word[at];
    return sizeof(T) == 4 ? found : found >> (i % kKeysOfWord * 16) & 0xffffU;
  }
  __device__ void put(int i, T key) {
    if constexpr (sizeof(T) == 4)
      word[i] = raw_bits(key);
    else
      word[i / 2] |= raw_bits(key) << (i % 2 * 16);
  }
};

// Bits of the keys that lie within the matrix, `columns_left` of it from the strip's begin on.
template <class T>
__device__ inline std::uint32_t valid_keys(std::uint32_t columns_left, std::uint32_t lane) {
  using Layout = LaneLayout<T>;
  if (columns_left >= Layout::kStripColumns) return Layout::kAllKeys;
  std::uint32_t valid = 0;
#pragma unroll
  for (int i = 0; i < Layout::kKeys; ++i)
    if (Layout::column(lane, i) < columns_left) valid |= 1U << i;
  return valid;
}

template <class Key>
__device__ inline bool is_nan_bits(std::uint32_t bits) {
  return (bits & ~OrderedTraits<Key>::kSign) > OrderedTraits<Key>::kInfinity;
}

// The whole warp writes a strip's bits, one a key, into the bytes of its row from `bytes` on;
// `bytes_left` of them belong to the row.
template <class T>
__device__ inline void store_bits(std::uint8_t* bytes, std::uint32_t bytes_left, std::uint32_t bits,
                                  std::uint32_t lane) {
  if constexpr (sizeof(T) == 2) {
#pragma unroll
    for (int piece = 0; piece < LaneLayout<T>::kPieces; ++piece) {
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

// Exchanges the bits of four pieces a lane, one bit a key: lanes in groups of four exchange bytes,
// so that lane 4 g + r gets what the group's lanes read in piece r, 32 bits of 16-bit keys and 16
// of floats.
template <class T>
__device__ inline std::uint32_t bits_of_one_piece(std::uint32_t bits, std::uint32_t lane) {
  if constexpr (sizeof(T) == 4) {  // half a byte a piece: one in each byte
    bits = (bits | bits << 8) & 0x00ff00ffU;
    bits = (bits | bits << 4) & 0x0f0f0f0fU;
  }
  const bool odd = (lane & 1U) != 0;
  const bool upper = (lane & 2U) != 0;
  bits = __byte_perm(bits, __shfl_xor_sync(kAllLanes, bits, 1), odd ? 0x3715U : 0x6240U);
  bits = __byte_perm(bits, __shfl_xor_sync(kAllLanes, bits, 2), upper ? 0x3276U : 0x5410U);
  if constexpr (sizeof(T) == 4) {
    bits = (bits | bits >> 4) & 0x00ff00ffU;
    bits = (bits | bits >> 8) & 0xffffU;
  }
  return bits;
}

template <class T>
using BitsOfOnePiece = std::conditional_t<sizeof(T) == 2, std::uint32_t, std::uint16_t>;

// Stores the bits of a strip of four pieces in one store a lane, with store_bits' result.
// pieces_left, a multiple of four, is how many pieces of the strip lie within the matrix.
template <class T>
__device__ inline void store_four_pieces(std::uint8_t* bytes, std::uint32_t pieces_left,
                                         std::uint32_t bits, std::uint32_t lane) {
  using Bits = BitsOfOnePiece<T>;
  bits = bits_of_one_piece<T>(bits, lane);
  const std::uint32_t at = lane % 4 * 8 + lane / 4;
  if (at * 4 < pieces_left) reinterpret_cast<Bits*>(bytes)[at] = static_cast<Bits>(bits);
}

}  // namespace stepscope::kernels::batch_topk_device
