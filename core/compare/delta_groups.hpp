// SPDX-License-Identifier: Apache-2.0
// The parts of a comparison as readers list them: the summands of one match together, "12 -> 1
// calls, each 30 % longer" being one row. Rows sum to the difference as the parts do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compare/comparison.hpp"

namespace stepscope {

struct DeltaGroup {
  std::vector<const DeltaPart*> parts;  // largest first; they live as long as the comparison
  std::int64_t delta_ns = 0;            // their sum

  const DeltaPart& largest() const { return *parts.front(); }
};

// Largest |sum| first. Groups whose parts cancel to 0 are kept: they say what changed.
std::vector<DeltaGroup> group_parts(const std::vector<DeltaPart>& parts);

}  // namespace stepscope
