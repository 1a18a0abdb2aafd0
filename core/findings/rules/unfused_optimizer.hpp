// SPDX-License-Identifier: Apache-2.0
// unfused_optimizer: the optimizer's step is many small kernels, several for each parameter, where
// a fused one does the same in a few.
//
//   fires where   kernels >= 50 a step in the optimizer's phase, less than half of their device
//                 time in fused or multi-tensor ones, and ceiling >= least
//   ceiling       idle + exposed - stays; stays: a third of what a kernel takes beyond 1.5 us
//   idle          the device waits for the host in that phase, whatever else held the host back
//   exposed       device time of those kernels in the partition
//   1/3           an element-wise Adam reads and writes some 21 values a parameter, a fused one 7
//
// Without a device: operations >= 50 a step in the optimizer's phase, none of them fused; ceiling
// all time between them and two thirds of what they compute
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_unfused_optimizer(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
