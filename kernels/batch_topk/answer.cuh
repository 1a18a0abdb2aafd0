// SPDX-License-Identifier: Apache-2.0
// The results of a call: bits of the mask, the result, and the warm start for the next call.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"
#include "kernels/batch_topk/warm_start.hpp"

namespace stepscope::kernels::batch_topk_device {

// What is left to select, and what came before.
struct Remainder {
  std::int64_t candidates, wanted, above;
  BatchTopkPath path;
  std::uint32_t reads;
};

__device__ inline void set_bit(const Parameters& p, std::uint32_t row, std::uint32_t column) {
  auto* const words =
      reinterpret_cast<std::uint32_t*>(p.mask + std::uint64_t{row} * p.mask_row_bytes);
  atomicOr(words + column / 32, 1U << (column % 32));
}

__device__ inline EntryPlace place_of_cut(const Parameters& p, const Cut& cut) {
  const Divider::Parts parts = p.by_rows.divide(static_cast<std::uint64_t>(cut.place));
  return {parts.remainder, parts.quotient};
}
__device__ inline void set_bit(const Parameters& p, const Cut& cut) {
  const EntryPlace at = place_of_cut(p, cut);
  set_bit(p, at.row, at.column);
}

__device__ inline void leave_warm_start(const Parameters& p, const BatchTopkWarmStart& known,
                                        const Bracket& used, const Remainder& left,
                                        std::uint32_t key) {
  if (p.warm_start == nullptr) return;
  WarmOutcome found;
  found.key = key;
  found.misled = left.path == BatchTopkPath::exact;
  found.low = used.low;
  found.high = used.high;
  found.below = left.candidates - left.wanted;
  found.above = left.wanted;
  found.count = count_of(p);
  found.first_guess = p.ranked_type == KeyType::float32 ? 1U << 18 : 4U;
  found.greatest = p.ranked_type == KeyType::float32 ? 0xffffffffU : 0xffffU;
  *p.warm_start = next_warm_start(known, found);
}

__device__ inline void write_result(const Parameters& p, const Remainder& left, const Cut& cut,
                                    std::int64_t nan_count) {
  BatchTopkResult result;
  result.threshold = float_of_ordered(cut.key, p.ranked_type);
  result.ordered_key = cut.key;
  result.selected = left.above + left.wanted;
  const EntryPlace last = place_of_cut(p, cut);
  result.last_column = last.column;
  result.last_row = last.row;
  result.nan_count = nan_count;
  result.path = left.path;
  result.reads = left.reads;
  *p.result = result;
}

__device__ inline void write_empty_result(const Parameters& p, std::uint32_t reads) {
  BatchTopkResult result;
  result.threshold = __int_as_float(0x7f800000);
  result.nan_count = static_cast<std::int64_t>(p.state->exact.nan);
  result.reads = reads;
  *p.result = result;
}

}  // namespace stepscope::kernels::batch_topk_device
