// SPDX-License-Identifier: Apache-2.0
// What a call leaves: bits of the mask, the result, and the warm start for the next call.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/state.cuh"

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

// Where the last entry of a cut lies; 64-bit divisions are long.
__device__ inline std::uint32_t column_of(const Parameters& p, const Cut& cut) {
  const auto place = static_cast<std::uint64_t>(cut.place);
  return (place >> 32) == 0 ? static_cast<std::uint32_t>(place) / p.shape.rows
                            : static_cast<std::uint32_t>(place / p.shape.rows);
}
__device__ inline std::uint32_t row_of(const Parameters& p, const Cut& cut, std::uint32_t column) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(cut.place) -
                                    std::uint64_t{column} * p.shape.rows);
}

__device__ inline void set_bit(const Parameters& p, const Cut& cut) {
  const std::uint32_t column = column_of(p, cut);
  set_bit(p, row_of(p, cut, column), column);
}

// Half the distance that would hold a tenth of the count on either side, if keys were spread evenly
// here; a bracket that misled is doubled.
__device__ inline std::uint32_t next_half_width(std::uint32_t width, double ranks,
                                                double wanted_ranks, bool misled) {
  const double factor = misled ? 2.0 : fmin(fmax(wanted_ranks / fmax(ranks, 1.0), 0.5), 2.0);
  return static_cast<std::uint32_t>(fmin(fmax(width * factor, 1.0), 1e9));
}

__device__ inline void leave_warm_start(const Parameters& p, const Bracket& used,
                                        const Remainder& left, std::uint32_t key) {
  if (p.warm_start == nullptr) return;
  const bool misled = left.path == BatchTopkPath::exact;
  const std::uint32_t first_guess = p.ranked_type == KeyType::float32 ? 1U << 18 : 4U;
  std::uint32_t below = misled ? p.warm_start->high - p.warm_start->low : key - used.low;
  std::uint32_t above = misled ? below : used.high - key;
  if (misled && (below == 0 || below > first_guess * 64U)) below = above = first_guess;
  const double tenth = 0.1 * static_cast<double>(count_of(p));
  below = next_half_width(below, static_cast<double>(left.candidates - left.wanted), tenth, misled);
  above = next_half_width(above, static_cast<double>(left.wanted), tenth, misled);
  const std::uint32_t most = p.ranked_type == KeyType::float32 ? 0xffffffffU : 0xffffU;
  *p.warm_start = {key > below ? key - below : 0U, key < most - above ? key + above : most};
}

__device__ inline void write_result(const Parameters& p, const Bracket& used, const Remainder& left,
                                    const Cut& cut, std::int64_t nan_count) {
  BatchTopkResult result;
  result.threshold = float_of_ordered(cut.key, p.ranked_type);
  result.ordered_key = cut.key;
  result.selected = left.above + left.wanted;
  result.last_column = column_of(p, cut);
  result.last_row = row_of(p, cut, column_of(p, cut));
  result.nan_count = nan_count;
  result.path = left.path;
  result.reads = left.reads;
  *p.result = result;
  leave_warm_start(p, used, left, cut.key);
}

__device__ inline void write_empty_result(const Parameters& p, std::uint32_t reads) {
  BatchTopkResult result;
  result.threshold = __int_as_float(0x7f800000);
  result.nan_count = static_cast<std::int64_t>(p.state->nan_count);
  result.reads = reads;
  *p.result = result;
}

}  // namespace stepscope::kernels::batch_topk_device
