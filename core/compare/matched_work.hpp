// SPDX-License-Identifier: Apache-2.0
// Both sides over the same number of steps, with the work of one found in the other: what every
// table of a comparison is made of. Internal to core/compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "core/compare/line_matching.hpp"
#include "core/compare/work_item.hpp"
#include "core/compare/work_matching.hpp"

namespace stepscope::compare_parts {

// Factors that scale both sides to the smaller number of steps; per sample, to the smaller batch.
struct Scales {
  std::uint64_t steps = 0;
  double a = 1;
  double b = 1;
};

Scales scales_of(const Summary& a, const Summary& b, const CompareOptions& options);

struct MatchedWork {
  MatchedWork(const Summary& a, const Summary& b, const Scales& scales);

  ScaledSide b;
  std::vector<std::string> a_phases;  // phases of A's items, under A's own names
  ScaledSide a;                       // phases have B's paths
  LineMatching lines;
  std::vector<WorkGroup> groups;
};

}  // namespace stepscope::compare_parts
