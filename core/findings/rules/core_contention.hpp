// SPDX-License-Identifier: Apache-2.0
// core_contention: the loop's thread is ready to run and has no core, for other threads or
// processes have them all. It speaks of the machine; all other findings speak of the program.
//
//   fires where   waits >= 5 % of the step, and >= least
//   waits         what the partition has as host.core_wait, by which everything else is what it
//                 costs on a free machine: rules behind this one leave it out
//   abstains      where the counter was not sampled
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_core_contention(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
