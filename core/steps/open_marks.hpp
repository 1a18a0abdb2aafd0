// SPDX-License-Identifier: Apache-2.0
// Marks of steps that have no end: the profiler stopped inside them, or their length overflowed. A
// mark without an end ends nothing, so it is none: the last one is no step, and a step in which
// such a mark lies is as long as two and is not counted.
//
// A mark has no end where it has no length although others of its name last kLeast.
//
// Marks that are missing: profilers of others lose some, and a schedule of several cycles leaves
// stretches out. Where the numbers of marks leap further than they usually do, the step behind the
// leap is as long as several, or holds what was not recorded, and is not counted. So is the one where
// the profiler's numbers begin again: the file holds two sessions.
//
// The last mark may outlast the records: a trace that was filtered by the begins of events keeps the
// mark and loses the rest of its step. Where nothing begins in the end of the last mark, for much
// longer than in any other, and it holds fewer records than any other, it is not counted. One that holds
// as many did something that was not recorded.
#pragma once

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

// Takes them out of the annotations.
void take_open_marks(Activity& activity);

// Steps in which one lies are not counted; behind end_warm_up.
void set_open_marks_aside(const Activity& activity, Steps& steps);
void set_missing_marks_aside(const Trace& trace, Steps& steps);
void set_cut_mark_aside(const Trace& trace, Steps& steps);

}  // namespace stepscope
