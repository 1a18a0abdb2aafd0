// SPDX-License-Identifier: Apache-2.0
// Host ranges in which a process compiles code, tunes itself or loads modules.
#pragma once

#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

// Returns the ranges by id. They may overlap and nest.
std::vector<RangeId> compilation_ranges(const Trace& trace, ProcessId process);
// Returns when any of them is open.
IntervalSet compilation_times(const Trace& trace, ProcessId process);

}  // namespace stepscope
