// SPDX-License-Identifier: Apache-2.0
// Reads the keys of the entries whose bit is set in a mask of few bits: a thread takes some words
// of the mask at a time, and one bit of each, so that their keys are loaded together.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/limits.cuh"
#include "kernels/common/bitmask.hpp"
#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels {

constexpr int kMarkedThreads = 512;
constexpr int kWordsAhead = 4;

struct MarkedMatrix {
  const void* keys;
  std::uint32_t* mask;
  std::uint32_t rows, columns, words_per_row;
  const float* mean;  // null for raw keys
  const float* scale;
  NanRank nan;

  __device__ std::uint64_t words() const { return std::uint64_t{rows} * words_per_row; }
  // Below 2^32: at most 2^33 entries, in fewer than 2^31 rows.
  __device__ std::uint32_t word(std::uint32_t row, std::uint32_t column) const {
    return row * words_per_row + column / 32;
  }
  __device__ std::uint32_t row(std::uint32_t word) const { return word / words_per_row; }
  __device__ std::uint32_t column(std::uint32_t word, std::uint32_t bit) const {
    return (word - row(word) * words_per_row) * 32 + bit;
  }
  __device__ void clear(std::uint32_t word, std::uint32_t bit) const {
    atomicAnd(mask + word, ~(1U << bit));
  }
};

struct MarkedEntry {
  std::uint32_t word, bit, key;  // the ordered key, as float
};

// An entry's numbers as they lie, none of them looked at, so that no load waits for another.
template <class T>
struct StoredEntry {
  static constexpr std::uint32_t kNone = 32;
  std::uint32_t bit = kNone;
  T key{};
  float mean = 0, scale = 0;

  // Loads the key of the word's lowest set bit.
  __device__ void load(const MarkedMatrix& m, std::uint32_t word, std::uint32_t bits) {
    if (bits == 0) return;
    bit = static_cast<std::uint32_t>(__ffs(static_cast<int>(bits))) - 1;
    const std::uint32_t column = m.column(word, bit);
    key = static_cast<const T*>(m.keys)[std::uint64_t{m.row(word)} * m.columns + column];
    if (m.mean == nullptr) return;
    mean = m.mean[column];
    scale = m.scale[column];
  }
  __device__ std::uint32_t ordered(const MarkedMatrix& m) const {
    const float value = to_float(key);
    return ordered_key(
        m.mean != nullptr ? batch_topk_device::affine_key(value, mean, scale) : value, m.nan);
  }
};

// visit(MarkedEntry) by the lanes that have one, not by whole warps.
template <class T, class Visit>
__device__ inline void for_each_marked(const MarkedMatrix& m, Visit visit) {
  const std::uint64_t words = m.words();
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kMarkedThreads;
  const std::uint64_t own = std::uint64_t{blockIdx.x} * kMarkedThreads + threadIdx.x;
  for (std::uint64_t first = own; first < words; first += kWordsAhead * stride) {
    const auto word = [&](int i) {
      return static_cast<std::uint32_t>(first + static_cast<std::uint32_t>(i) * stride);
    };
    std::uint32_t bits[kWordsAhead];
    std::uint32_t any = 0;
#pragma unroll
    for (int i = 0; i < kWordsAhead; ++i) {
      const bool inside = first + static_cast<std::uint32_t>(i) * stride < words;
      bits[i] = inside ? m.mask[word(i)] : 0;
      any |= bits[i];
    }
    while (any != 0) {
      StoredEntry<T> entries[kWordsAhead];
      any = 0;
#pragma unroll
      for (int i = 0; i < kWordsAhead; ++i) {
        entries[i].load(m, word(i), bits[i]);
        bits[i] &= bits[i] - 1;
        any |= bits[i];
      }
#pragma unroll
      for (int i = 0; i < kWordsAhead; ++i)
        if (entries[i].bit != StoredEntry<T>::kNone)
          visit(MarkedEntry{word(i), entries[i].bit, entries[i].ordered(m)});
    }
  }
}

}  // namespace stepscope::kernels
