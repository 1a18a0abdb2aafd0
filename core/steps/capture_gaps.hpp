// SPDX-License-Identifier: Apache-2.0
// Where nothing but step marks was recorded, by the user's plan (profile --window, --start-after,
// --steps, --capture-range): no conclusion is drawn from there. Steps that reach into a gap have no
// wall time, and where a device is traced the step before a gap does not count either: records of
// its last work may be missing.
#pragma once

#include "core/steps/steps.hpp"

namespace stepscope {

// Of one process, in order; the last one may reach to the end of the trace.
IntervalSet capture_gaps(const Trace& trace, ProcessId process);

bool is_inside(const IntervalSet& gaps, std::int64_t time);

// Takes the wall time of steps that reach into a gap.
void close_gaps(const IntervalSet& gaps, Steps& steps);
// Sets them aside, with their reason; behind choose_steady.
void set_gaps_aside(const Trace& trace, const IntervalSet& gaps, Steps& steps);

}  // namespace stepscope
