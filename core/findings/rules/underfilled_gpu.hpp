// SPDX-License-Identifier: Apache-2.0
// underfilled_gpu: kernels with fewer blocks than the device has multiprocessors: most of it idles
// while it is "busy".
//
//   fires where   time(kernels with blocks < multiprocessors) >= 20 % of the device's compute time,
//                 and ceiling >= least
//   ceiling       time x (1 - blocks / multiprocessors), as if a kernel's work spread evenly
//   Kernels shorter than 5 us are launch_bound's matter and are left out. Severity `info`: few
//   blocks may be all that the problem holds.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_underfilled_gpu(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
