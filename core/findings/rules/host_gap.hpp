// SPDX-License-Identifier: Apache-2.0
// host_gap: the host does something else for a millisecond or more, without a CUDA call, while the
// device idles: Python work, files, logging, garbage collection, or the thread was not running.
//
//   fires where   gaps >= least
//   gaps          host stretches of >= 1 ms in the partition (Python, between calls, operations on
//                 the CPU, files, garbage collection, off the CPU), less what input and waits
//                 explain; without a device not operations, which are what the step is for
//   off the CPU   asleep, or ready to run without a core: by the sampler's counter (host_cores.hpp)
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_host_gap(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
