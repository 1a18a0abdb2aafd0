// SPDX-License-Identifier: Apache-2.0
// host_sync: the loop waits for the device (.item(), .cpu(), print of a tensor, a branch on one,
// torch.cuda.synchronize), and the device then has nothing to do until the host is back.
//
//   fires where   idle(waits) >= least          least = max(1 % of the step, 3 x its noise)
//   idle(w)       the device's idle time behind the waits that a host would have hidden that had
//                 not waited there (run_ahead.hpp), never how long the call took
//   of lines      those with >= 10 % of it or >= 1 % of the step; the others stay as they are, and
//                 are cleared with what they wait and what that costs
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_host_sync(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
