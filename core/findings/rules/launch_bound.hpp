// SPDX-License-Identifier: Apache-2.0
// launch_bound: the device waits because the host takes longer to issue a kernel than the device to
// run it: many small kernels.
//
//   fires where   starved >= 10 % of the step (and >= least)
//   starved       idle time that host work before a launch owns (framework, Python, launch calls,
//                 launch latency), in stretches of less than 1 ms, less what another finding
//                 explains: input, waits, copies, the optimizer; and time in which only a copy
//                 from pinned memory runs, until the kernel behind it is launched
//   A trace whose profiler slowed the host by an unknown factor (at most 3, as measured) is judged
//   only where the true step, a third of the traced one or the device's work if that is longer,
//   would still be starved by 10 %.
//   Without a device: of >= 50 operations a step, Python and the framework between them (stretches
//   below a millisecond) >= 10 % of the step
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_launch_bound(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
