// SPDX-License-Identifier: Apache-2.0
// Whether a count of work rose: kernels, launches, waits, copies, bytes, allocations a step.
//
// Counts are near-exact, so one run a side is enough. What remains unsure is the window: work that
// does not run every step (evaluation, logging) may fall into it once more or once less. A run's
// count a step is therefore known to within (most - least) / steps, where least and most are those
// of single steps. With the runs' lowest and highest values so widened,
//   regression    lowest candidate > highest baseline x (1 + tolerance), or every step of the
//                 candidate does more than any step of the baseline, tolerance allowed
//   pass          highest candidate <= highest baseline x (1 + tolerance), both without the doubt
// and between the two it is inconclusive.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

struct CountedWork {
  std::uint64_t total = 0;
  std::uint64_t steps = 1;
  std::uint64_t least = 0;  // of single steps
  std::uint64_t most = 0;

  double per_step() const { return static_cast<double>(total) / static_cast<double>(steps); }
  double doubt() const {
    return static_cast<double>(most - std::min(least, most)) / static_cast<double>(steps);
  }
};

// Sets outcome, why and ratio. Neither side may be empty.
void judge_count(const std::vector<CountedWork>& baseline,
                 const std::vector<CountedWork>& candidate, double tolerance, MetricResult& out);

}  // namespace stepscope
