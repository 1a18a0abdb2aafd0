// SPDX-License-Identifier: Apache-2.0
// Where nothing but step marks was recorded, by the user's plan (profile --window, --start-after,
// --steps, --capture-range), and where records are lost since the file is damaged: no conclusion is
// drawn from there. Steps whose host time reaches into
// a gap have no wall time; one that follows a gap begins with the gap's end, so windows do not tile
// the run there, and counts only where all do.
//
// The device may still work on a recorded step when a gap begins: CUPTI gives the records of all
// that was launched before (measured: none of 14,304 launches of last steps lost its record).
#pragma once

#include "core/steps/steps.hpp"

namespace stepscope {

struct CaptureStretch {
  Interval time;
  double state = 1;  // of the counter: 0 or less, nothing; 1, all of the level; else a part of it
};
// Of one process, in order, from the first change on; empty where there was no plan.
std::vector<CaptureStretch> capture_stretches(const Trace& trace, ProcessId process);

// Where not all of the level was recorded, by plan. Of one process, in order; the last one may
// reach to the end of the trace.
IntervalSet planned_gaps(const Trace& trace, ProcessId process);
// These, and where records are lost (lost_stretches.hpp).
IntervalSet capture_gaps(const Trace& trace, ProcessId process);

bool is_inside(const IntervalSet& gaps, std::int64_t time);

// Takes the wall time of steps that reach into a gap, and lets the next one begin behind it.
void close_gaps(const IntervalSet& gaps, Steps& steps);
// Sets them aside, with their reason; behind end_warm_up.
void set_gaps_aside(const Trace& trace, Steps& steps);

}  // namespace stepscope
