// SPDX-License-Identifier: Apache-2.0
// The cells of one side as the matching sees them: over the common number of steps, of the
// process's partition. Internal to core/compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/summary/summary.hpp"

namespace stepscope::compare_parts {

struct WorkItem {
  Cause cause = Cause::unknown;
  std::string phase;  // path
  std::string file;
  std::uint32_t line = 0;
  std::string function;
  std::string operation;
  std::int64_t ns = 0;  // over the common number of steps
  double calls = 0;     // likewise
  Direction direction = Direction::none;
};

struct ScaledSide {
  std::vector<WorkItem> items;
  std::int64_t wall_ns = 0;  // the sum of items
};

// `factor`: the common number of steps over the side's own. 1 leaves every integer as it is; else
// the rounded total is shared out by largest remainder.
ScaledSide scale(const Summary& summary, double factor);

// The time that is idle, as opposed to work: its pieces are not calls that one side could have more
// of.
bool is_idle_cause(Cause cause);

}  // namespace stepscope::compare_parts
