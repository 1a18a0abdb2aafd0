// SPDX-License-Identifier: Apache-2.0
// periodic_phase: a phase that does not run in every step (evaluation, checkpoint, log) costs much
// even so.
//
//   fires where   the phase runs once in two steps or more, amortised >= 3 % of the step, and
//                 ceiling >= least, by the noise of the steps without the phase
//   amortised     wall time that the phase (with those inside it) owns, over all counted steps,
//                 without code that was compiled or loaded in it: that passes once
//   ceiling       half of it: running it half as often is what a user can decide
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_periodic_phase(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
