// SPDX-License-Identifier: Apache-2.0
// The first digit of all keys at the rate of the read: counts of the upper 11 bits as they are
// stored, put in order when the counts of the blocks are added.
//
// For this a key is added to zero first, which leaves two exceptions where the order of the stored
// bits is that of ordered_key.hpp: -0 becomes +0, and each NaN the same one, whose bin holds no
// number. What is left is one shared atomic a key. Eight copies stand side by side, a bin in 32
// bytes, so that the masked key is the offset of its bin.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/limits.cuh"
#include "kernels/batch_topk/strip_stream.cuh"

namespace stepscope::kernels::batch_topk_device {

constexpr std::uint32_t kTopBitsCopies = 8;
constexpr std::size_t kTopBitsBytes = kBins * kTopBitsCopies * sizeof(std::uint32_t);
constexpr int kTopBitsRingBytes = 32 * 1024;

// Whether this way of counting knows a digit of the range: the first, where no key is
// below the floor but NaN. All threads of a block answer the same, so the range is not asked: a
// block that is late may find it changed.
__device__ inline bool counts_top_bits(const Parameters& p, std::uint32_t digit) {
  return digit == 0 && p.floor == kLeastNumberKey;
}

// Adds zero to a float, or to two 16-bit keys.
template <class T>
__device__ inline std::uint32_t plus_zero(std::uint32_t word) {
  if constexpr (sizeof(T) == 4) {
    return __float_as_uint(__fadd_rn(__uint_as_float(word), 0.0F));
  } else {
    constexpr std::uint32_t kOne = std::is_same_v<T, Bfloat16> ? 0x3f80U : 0x3c00U;
    using In = PackedEnds<T>;
    const auto sum = __hfma2(In::pair_of(word), In::pair_of(kOne | kOne << 16), In::pair_of(0));
    memcpy(&word, &sum, sizeof word);
    return word;
  }
}

template <class T>
class TopBitsCount {
 public:
  using Layout = LaneLayout<T>;

  __device__ TopBitsCount(const Parameters& p, std::uint32_t* histogram)
      : p_(p), histogram_(histogram), own_(histogram + lane_index() % kTopBitsCopies) {
    for (std::uint32_t i = threadIdx.x; i < kBins * kTopBitsCopies; i += kThreads)
      histogram_[i] = 0;
    __syncthreads();
  }

  template <class Strip>
  __device__ void visit(const Strip& strip, const LaneWords<T>& words) {
    const std::uint32_t valid = strip.valid();
    if (valid == Layout::kAllKeys)
      count_all(words);
    else
      count_valid(words, valid);
  }
  __device__ static bool may_hold() { return true; }

  // Called once, by the whole block.
  __device__ void finish() {
    __syncthreads();
    for (std::uint32_t bin = threadIdx.x; bin < kBins; bin += kThreads) {
      unsigned long long sum = 0;
      for (std::uint32_t copy = 0; copy < kTopBitsCopies; ++copy)
        sum += histogram_[bin * kTopBitsCopies + copy];
      if (sum > 0) add(bin, sum);
    }
  }

 private:
  static constexpr std::uint32_t kNanBin = kBins / 2 - 1;
  static constexpr std::uint32_t kOffsetMask = 0xffffU & ~(kTopBitsCopies * 4 - 1);
  static_assert(kOffsetMask + kTopBitsCopies * 4 == kTopBitsBytes);

  __device__ void count(std::uint32_t upper_bits) {
    auto* const counts = reinterpret_cast<char*>(own_);
    atomicAdd(reinterpret_cast<std::uint32_t*>(counts + (upper_bits & kOffsetMask)), 1U);
  }

  __device__ void count_all(const LaneWords<T>& words) {
#pragma unroll
    for (int i = 0; i < Layout::kWords; ++i) {
      const std::uint32_t word = plus_zero<T>(words.word[i]);
      count(word >> 16);
      if constexpr (sizeof(T) == 2) count(word);
    }
  }
  __device__ void count_valid(const LaneWords<T>& words, std::uint32_t valid) {
#pragma unroll
    for (int i = 0; i < Layout::kKeys; ++i) {
      constexpr int kKeysOfWord = sizeof(T) == 2 ? 2 : 1;
      const std::uint32_t word = plus_zero<T>(words.word[i / kKeysOfWord]);
      if ((valid >> i & 1U) != 0) count(kKeysOfWord == 2 && i % 2 == 0 ? word : word >> 16);
    }
  }

  __device__ void add(std::uint32_t stored_bin, unsigned long long sum) {
    const bool negative = stored_bin >= kBins / 2;
    const std::uint32_t bin = negative ? kBins - 1 - stored_bin : stored_bin + kBins / 2;
    if (stored_bin != kNanBin || p_.nan == NanRank::first) atomicAdd(&p_.radix_histogram[bin], sum);
  }

  const Parameters& p_;
  std::uint32_t* const histogram_;
  std::uint32_t* const own_;
};

}  // namespace stepscope::kernels::batch_topk_device
