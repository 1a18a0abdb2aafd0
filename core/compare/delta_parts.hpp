// SPDX-License-Identifier: Apache-2.0
// The difference as exact summands: one or two a group of matched work.
//
// With n calls of mean time t = T / n on each side,
//   T_b - T_a = (n_b - n_a) (t_a + t_b) / 2  +  (t_b - t_a) (n_a + n_b) / 2
// is the mean of both orders of changing n and t (Shapley): the count's part and that of a call.
// The first is rounded to nanoseconds, halves away from zero, and the second is the rest, so the
// two sum exactly and negate when the sides are swapped. Work on one side alone is added or
// removed; idle time is one part. Internal to core/compare.
#pragma once

#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/line_matching.hpp"
#include "core/compare/work_item.hpp"
#include "core/compare/work_matching.hpp"

namespace stepscope::compare_parts {

struct DeltaInput {
  const std::vector<WorkItem>& a;
  const std::vector<WorkItem>& b;
  const LineMatching& lines;
  const std::vector<WorkGroup>& groups;
};

// Parts that are 0 are left out. Largest first.
std::vector<DeltaPart> delta_parts(const DeltaInput& input);

// Groups in which other work, or n calls of several operations against m, stand for the same end.
std::vector<Replacement> replacements(const DeltaInput& input, std::uint64_t steps);

}  // namespace stepscope::compare_parts
