// SPDX-License-Identifier: Apache-2.0
// Long steps, shown: they are in every sum, and this says how many there are, what they hold of the
// loop's time, and what owned the time that they took beyond the median step.
//
// The rule is core/steps/unusual/long_rule.hpp's, over all counted steps. The excess of a long step
// is its wall less the median; `excess` splits the sum of these by cause and line against what the
// steps that are not long usually spend there (their sums, scaled to the median by largest
// remainder), so that the rows sum to excess_ns_total exactly. A row below 0: long steps spend less
// there.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/attribution/cause.hpp"

namespace stepscope {

struct ExcessRow {
  Cause cause = Cause::unknown;
  std::string file;  // empty: no line
  std::uint32_t line = 0;
  std::string function;
  std::int64_t ns_total = 0;
};

struct LongSteps {
  std::uint64_t steps = 0;
  std::vector<std::uint32_t> rows;  // rows of Steps::list
  std::int64_t wall_ns_total = 0;   // sum over the long steps
  std::int64_t loop_ns_total = 0;   // sum over all steps after warm-up
  std::int64_t median_ns = 0;
  std::int64_t limit_ns = 0;  // a wall above it is long
  std::int64_t longest_ns = 0;
  std::int64_t excess_ns_total = 0;  // wall_ns_total - steps x median_ns
  std::vector<ExcessRow> excess;     // largest first
  bool left_out = false;             // they are left out of all other sums, as the user asked

  double share() const;          // Returns their share of the loop's time.
  double highest_ratio() const;  // Returns the ratio of the longest to the median.
  // The median step says too little of the loop's time.
  bool matter() const { return share() > 0.05; }
  std::vector<std::pair<Cause, std::int64_t>> excess_by_cause() const;  // largest first
};

}  // namespace stepscope
