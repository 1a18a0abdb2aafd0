// SPDX-License-Identifier: Apache-2.0
// When a step is long: its wall is over kTimesMedian x the median and over the median +
// kDeviations x 1.4826 x the median absolute deviation (for a normal distribution: five standard
// deviations). Both, so that neither a steady loop's small jitter nor a rough loop's usual spread
// is called long; where samples alone show when a step begins, both its ends may be off by as much as
// they lie apart, and that is added. Long steps stay in every sum: the rule only says which are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/steps/steps.hpp"

namespace stepscope {

struct LongRule {
  std::int64_t median_ns = 0;
  std::int64_t limit_ns = 0;  // a wall above it is long

  bool is_long(std::int64_t wall_ns) const { return wall_ns > limit_ns; }
  double times_median(std::int64_t wall_ns) const;
};

LongRule long_rule(const std::vector<std::int64_t>& walls, std::int64_t begin_error_ns);
// The same for any median, for readers: "over 1.5x the median and five deviations beyond it".
std::string long_rule_text();

// Known walls of steps.list from row `first` on.
std::vector<std::int64_t> walls_from(const Steps& steps, std::size_t first);

}  // namespace stepscope
