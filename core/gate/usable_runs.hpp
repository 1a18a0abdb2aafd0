// SPDX-License-Identifier: Apache-2.0
// Which runs may decide what, so that nothing passes by accident.
//
// A run with too few counted steps, or whose steps were not found, decides nothing. The same
// recording given twice (by another name, or on both sides) adds no knowledge of noise: its counts
// stand, its times are used once, and never against themselves. Internal to core/gate.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

struct UsableRuns {
  std::vector<const Summary*> counted;  // for counts and budgets
  std::vector<const Summary*> timed;    // for times
  std::vector<GateRun> rows;
};

struct UsableSides {
  UsableRuns baseline;
  UsableRuns candidate;
};

// Pairs stay pairs: where one of two is not timed, the other is not either.
UsableSides usable_runs(const Policy& policy, const std::vector<Summary>& baseline,
                        const std::vector<Summary>& candidate);

// Median SM clock of the run's first device with samples.
std::optional<double> clock_of(const Summary& run);

}  // namespace stepscope
