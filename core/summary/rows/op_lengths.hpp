// SPDX-License-Identifier: Apache-2.0
// How long the calls of one kernel take: their spread, and a histogram that several runs share.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope {

struct LengthSpread {
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::int64_t min_ns = 0;
  std::int64_t p50_ns = 0;
  std::int64_t p99_ns = 0;
  std::int64_t max_ns = 0;
};

LengthSpread spread_of(const std::vector<std::int64_t>& lengths);

// Returns the lengths of the device ops of this name that begin in a counted step of the process
// whose steps these are.
std::vector<std::int64_t> op_lengths(const Trace& trace, const Summary& summary,
                                     std::string_view name);

// Bins whose edges grow by one factor: bin i holds lengths of [edges[i], edges[i + 1]).
struct LengthHistogram {
  std::vector<std::int64_t> edges;                 // one more than bins; empty without lengths
  std::vector<std::vector<std::uint64_t>> counts;  // by set of lengths, then by bin
};

// Over all sets, so that they can be laid over each other.
LengthHistogram histogram_of(const std::vector<std::vector<std::int64_t>>& sets, std::size_t bins);

}  // namespace stepscope
