// SPDX-License-Identifier: Apache-2.0
// The parts of a comparison that are computed beside its exact sum. Internal to core/compare.
#pragma once

#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/line_matching.hpp"
#include "core/compare/matched_work.hpp"

namespace stepscope::compare_parts {

// Returns how much more or less work a step of B does, and which lines that comes from.
std::vector<CountDelta> count_deltas(const Summary& a, const Summary& b, const LineMatching& lines);

// Adds how far the rows of the comparison's tables reach over all pairs of runs. `work` is the work
// of the runs that the tables are about.
void add_ranges(const std::vector<Summary>& a, const std::vector<Summary>& b,
                const MatchedWork& work, const CompareOptions& options, Comparison& out);

}  // namespace stepscope::compare_parts
