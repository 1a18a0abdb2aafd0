// SPDX-License-Identifier: Apache-2.0
// Both sides over the same number of steps, with the work of one found in the other: what every
// table of a comparison is made of.
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

// Phases that have another path in B: those that only one side has are the same where their last
// part is found once on each ("train/topk" and "step/topk").

// Gives such phases of A the path that they have in B.
void rename_phases(std::vector<WorkItem>& a, const std::vector<WorkItem>& b);

// The parts of a comparison that are computed beside its exact sum.

// Returns how much more or less work a step of B does, and which lines that comes from.
std::vector<CountDelta> count_deltas(const Summary& a, const Summary& b, const LineMatching& lines);

// Adds how far the rows of the comparison's tables reach over all pairs of runs. `work` is the work
// of the runs that the tables are about.
void add_ranges(const std::vector<Summary>& a, const std::vector<Summary>& b,
                const MatchedWork& work, const CompareOptions& options, Comparison& out);
// One run a side cannot show how much of a difference is noise; steps that differ more from each other
// make it likely. Empty where they do not.
std::string noise_of_one_run(const Comparison& c);

}  // namespace stepscope::compare_parts
