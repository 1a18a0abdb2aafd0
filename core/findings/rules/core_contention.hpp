// SPDX-License-Identifier: Apache-2.0
// core_contention: the loop's thread is ready to run and has no core, for other threads or
// processes have them all.
//
//   fires where   waits >= 5 % of the step, and >= least
//   waits         of each stretch of the partition that the host owns, the time in which the thread
//                 stood in the system's run queue, by the sampler's counter. It is part of whatever
//                 cause the stretch has: work takes longer by it, and off_cpu holds what no record
//                 covers
//   abstains      where the counter was not sampled
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_core_contention(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
