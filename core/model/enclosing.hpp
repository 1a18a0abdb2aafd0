// SPDX-License-Identifier: Apache-2.0
// For each host range the nearest range around it that also outlives it; kNone: none does. A parent
// need not: an annotation opened inside a function that returns before it closes is in nothing of
// that function's. All at once, since a chain of ranges that cross would be walked for each of
// them.
#pragma once

#include <vector>

#include "core/model/events.hpp"

namespace stepscope {

std::vector<RangeId> enclosing_ranges(const HostRanges& ranges);

}  // namespace stepscope
