// SPDX-License-Identifier: Apache-2.0
// The set bits of at most 32 words of a thread, in rising order, as 32 * word + bit. The thread has
// read the words before, and knows which have bits: most are empty, and the others are found again
// in the L1 cache, so that none stays in registers while keys are fetched.
#pragma once

#include <cstdint>

#include "kernels/bitmask/list_output.cuh"

namespace stepscope::kernels {

// Keys that a thread has under way.
constexpr int kBitsAhead = 4;

__device__ inline std::uint32_t least_bit(std::uint32_t word) {
  return static_cast<std::uint32_t>(__ffs(static_cast<int>(word))) - 1;
}

class SetBits {
 public:
  // Word i is words[i * stride]; bit i of `with_bits` is set if the word is not 0.
  __device__ SetBits(const std::uint32_t* words, std::int64_t stride, std::uint32_t with_bits)
      : words_(words), stride_(stride), with_bits_(with_bits) {}

  __device__ bool any() const { return (word_ | with_bits_) != 0; }
  // Only where there is any.
  __device__ std::uint32_t next() {
    if (word_ == 0) {
      index_ = least_bit(with_bits_);
      with_bits_ &= with_bits_ - 1;
      word_ = words_[index_ * stride_];
    }
    const std::uint32_t bit = least_bit(word_);
    word_ &= word_ - 1;
    return index_ * 32 + bit;
  }

 private:
  const std::uint32_t* words_;
  std::int64_t stride_;
  std::uint32_t with_bits_, word_ = 0, index_ = 0;
};

// Puts each bit's entry where `place` has it: entry(bit) of the keys, column(bit), index(bit)
// within its line, and take(bit), the next position in the list, asked for once a bit.
template <class Key, class Place>
__device__ void put_bits(SetBits bits, const ListOutput<Key>& output, Place& place) {
  constexpr std::uint32_t kNone = ~0U;
  while (bits.any()) {
    std::uint32_t bit[kBitsAhead];
    typename ListOutput<Key>::Value value[kBitsAhead];
#pragma unroll
    for (int i = 0; i < kBitsAhead; ++i) {
      bit[i] = bits.any() ? bits.next() : kNone;
      if (bit[i] != kNone) value[i] = output.load(place.entry(bit[i]), place.column(bit[i]));
    }
#pragma unroll
    for (int i = 0; i < kBitsAhead; ++i)
      if (bit[i] != kNone) output.put(place.take(bit[i]), place.index(bit[i]), value[i]);
  }
}

}  // namespace stepscope::kernels
