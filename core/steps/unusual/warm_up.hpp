// SPDX-License-Identifier: Apache-2.0
// Where warm-up ends; every complete step after it counts, however long it takes.
//
// Warm-up is the first step (its begin is a guess at best) and, from there on, each step of the
// first half of the run that
//   compiles   or loads modules or tunes itself, more than the median step, and takes over
//              kSlowedBy x the median of the run's second half; or
//   is slow    by the rule of long_rule.hpp, taken over the second half, as later steps seldom are:
//              fewer than one in kOneIn of the second half exceeds the median by half as much for
//              the same reason.
//              So pauses that come now and then, or every few steps, are no warm-up. At most a
//              tenth of the steps, or kFewSlow where that is more: slow for longer is how the loop
//              runs.
// The first step that is neither ends it. Steps::warm_up says how long it was and why it ended.
// Not counted either, each with its reason: a last step without wall time.
#pragma once

#include "core/steps/activity.hpp"
#include "core/steps/steps.hpp"

namespace stepscope {

// Fills warm_up, steady, why_not_steady, compile_ns, and notes on long steps.
void end_warm_up(const Activity& activity, Steps& steps);

}  // namespace stepscope
