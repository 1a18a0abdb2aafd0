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
// and between the two it is inconclusive, unless the recordings as wholes settle it: where all runs
// hold equally many steps and no recording of the candidate holds more of the work than one of the
// baseline, nor less than all of them, the runs' windows differ and their work does not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

struct CountedWork {
  std::uint64_t total = 0;
  std::uint64_t steps = 1;
  std::uint64_t least = 0;  // least and most in a single step
  std::uint64_t most = 0;
  std::optional<std::uint64_t> in_recording = {};  // warm-up included, over `steps_recorded`
  std::uint64_t steps_recorded = 0;

  double per_step() const { return static_cast<double>(total) / static_cast<double>(steps); }
  double doubt() const {
    return static_cast<double>(most - std::min(least, most)) / static_cast<double>(steps);
  }
};

// Sets outcome, why and ratio. Neither side may be empty.
void judge_count(const std::vector<CountedWork>& baseline,
                 const std::vector<CountedWork>& candidate, double tolerance, MetricResult& out);

}  // namespace stepscope
