// SPDX-License-Identifier: Apache-2.0
// How far the rows of a comparison's tables reach over all pairs of runs. The runs of a side are of
// one program, so a row's work has the same phase, line, cause and operation in each of them as in
// the middle one, of which the tables are. Internal to core/compare.
#pragma once

#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/matched_work.hpp"

namespace stepscope::compare_parts {

// `work` is of the runs that the comparison's tables are of.
void add_ranges(const std::vector<Summary>& a, const std::vector<Summary>& b,
                const MatchedWork& work, const CompareOptions& options, Comparison& out);

}  // namespace stepscope::compare_parts
