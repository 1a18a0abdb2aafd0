// SPDX-License-Identifier: Apache-2.0
// Marks of steps that have no end: the profiler stopped inside them, or their length overflowed. A
// mark without an end ends nothing, so it is none: the last one is no step, and a step in which
// such a mark lies is as long as two and is not counted.
//
// A mark has no end where it has no length although others of its name last kLeast.
#pragma once

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

// Takes them out of the annotations.
void take_open_marks(Activity& activity);

// Steps in which one lies are not counted; behind end_warm_up.
void set_open_marks_aside(const Activity& activity, Steps& steps);

}  // namespace stepscope
