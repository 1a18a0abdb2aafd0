// SPDX-License-Identifier: Apache-2.0
// The times in which nothing but step marks was recorded, by the user's plan (profile --window,
// --start-after, --steps, --capture-range), and those of which records are lost because the file is
// damaged: no conclusion is drawn from them. Steps whose host time reaches into a gap have no wall
// time; one that follows a gap begins with the gap's end, so windows do not tile the run there, and
// counts only where all do.
//
// The device may still work on a recorded step when a gap begins: CUPTI gives the records of all
// that was launched before (measured: none of 14,304 launches of last steps lost its record).
#pragma once

#include "core/steps/steps.hpp"

namespace stepscope {

struct CaptureStretch {
  Interval time;
  // The counter's value: 0 or less, nothing; 1, all of the level; else a part of it.
  double state = 1;
};
// Returns the stretches of one process in order, from the first change on; empty where there was no
// plan.
std::vector<CaptureStretch> capture_stretches(const Trace& trace, ProcessId process);

// Returns the times of one process in which the plan left out a part of the level, in order; the
// last one may reach to the end of the trace.
IntervalSet planned_gaps(const Trace& trace, ProcessId process);
// Returns those times and the ones of which records are lost (losses.hpp).
IntervalSet capture_gaps(const Trace& trace, ProcessId process);

bool is_inside(const IntervalSet& gaps, std::int64_t time);

// Takes the wall time of steps that reach into a gap, and lets the next one begin behind it.
void close_gaps(const IntervalSet& gaps, Steps& steps);
// Sets them aside, with their reason; behind end_warm_up.
void set_gaps_aside(const Trace& trace, Steps& steps);

}  // namespace stepscope
