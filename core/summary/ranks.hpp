// SPDX-License-Identifier: Apache-2.0
// The ranks of one run beside each other: how long each one's steps take, and for how long the
// others waited for it. Reads steps and collectives alone, so it is cheap beside an attribution.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/device/collectives.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

struct RankRow {
  std::int32_t rank = -1;
  ProcessId process = 0;
  std::uint64_t steps_counted = 0;
  std::int64_t wall_ns_total = 0;  // sum over the counted steps
  std::int64_t p50_ns = 0;
  std::int64_t p90_ns = 0;
  // In collectives of the whole run: how long this rank waited for others to enter, and how long
  // others, summed over them, waited for this one, the last to enter.
  std::int64_t waits_ns = 0;
  std::int64_t waited_for_ns = 0;
  std::uint64_t collectives_last = 0;  // in which it was the last

  double ns_per_step() const {
    return steps_counted ? static_cast<double>(wall_ns_total) / static_cast<double>(steps_counted)
                         : 0;
  }
};

struct Ranks {
  std::vector<RankRow> rows;       // by rank; empty for a run of one
  bool collectives_known = false;  // LastEntries could be decided
  // Rows of the largest and the median time a step; of several alike the lowest rank.
  std::uint32_t slowest = 0;
  std::uint32_t median = 0;
};

// `marker_regex` as of StepOptions. Ranks whose steps are not found have none counted.
Ranks compare_ranks(const Trace& trace, const std::string& marker_regex = {});

}  // namespace stepscope
