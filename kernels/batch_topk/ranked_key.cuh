// SPDX-License-Identifier: Apache-2.0
// What a stored key is ranked by: itself, or its affine value, a float.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/limits.cuh"
#include "kernels/batch_topk/state.cuh"

namespace stepscope::kernels::batch_topk_device {

template <class T, bool kAffine>
using RankedAs = std::conditional_t<kAffine, float, T>;

struct RankedKey {
  std::uint32_t key;  // ordered
  bool nan;
};

// column() is called for affine keys only.
template <class T, bool kAffine, class Column>
__device__ inline RankedKey ranked_key(const Parameters& p, T stored, Column column) {
  using Key = RankedAs<T, kAffine>;
  std::uint32_t bits = raw_bits(stored);
  if constexpr (kAffine) {
    const std::uint32_t at = column();
    bits = bits_of(affine_key(to_float(stored), p.mean[at], p.scale[at]));
  }
  return {ordered_bits<Key>(bits, p.nan), is_nan_bits<Key>(bits)};
}

}  // namespace stepscope::kernels::batch_topk_device
