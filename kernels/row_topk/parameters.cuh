// SPDX-License-Identifier: Apache-2.0
// The kernel's arguments, and the shape of its blocks.
#pragma once

#include <cstdint>

#include "kernels/common/block_scan.cuh"
#include "kernels/common/ordered_key.hpp"
#include "kernels/row_topk/row_code.hpp"
#include "kernels/row_topk/row_topk.hpp"

namespace stepscope::kernels::row_topk_device {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kBlocksPerProcessor = 4;
constexpr std::uint32_t kUpperBits = 16;  // upper bits of an ordered key, in which bounds are found

template <class T>
constexpr int kLowerBits = OrderedTraits<T>::kBits - static_cast<int>(kUpperBits);

struct Parameters {
  const void* keys;
  std::uint32_t rows, columns, count;
  NanRank nan;
  std::uint32_t floor;  // the least ordered key that may be selected
  int place_bits;       // bits of the place in a code
  // Share of the keys' cache lines that leave the L2 cache first (async_copy.cuh).
  float read_once_share;
  const std::uint32_t* considered;

  std::int32_t* columns_out;
  void* values;
  bool relu;
  std::int32_t* selected;
  RowTopkFired fired;
};

template <class T>
__device__ inline const T* row_begin(const Parameters& p, std::uint32_t row) {
  return static_cast<const T*>(p.keys) + std::uint64_t{row} * p.columns;
}

template <class Code>
__device__ inline RowCode<Code> coding(const Parameters& p) {
  return {p.place_bits};
}

__device__ inline bool is_considered(const Parameters& p, std::uint32_t column) {
  return p.considered == nullptr || (__ldg(p.considered + column / 32) >> (column % 32) & 1U) != 0;
}

}  // namespace stepscope::kernels::row_topk_device
