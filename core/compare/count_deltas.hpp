// SPDX-License-Identifier: Apache-2.0
// How much more or less work a step of B does, and which lines that comes from. Counts are per step
// of each side's own counted steps: exact where each step does the same. Internal to core/compare.
#pragma once

#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/line_matching.hpp"

namespace stepscope::compare_parts {

std::vector<CountDelta> count_deltas(const Summary& a, const Summary& b, const LineMatching& lines);

}  // namespace stepscope::compare_parts
