// SPDX-License-Identifier: Apache-2.0
// tiny_h2d: a line makes many tiny tensors on the device one by one (torch.tensor([x],
// device=...)). Each is a copy of some bytes for which the host stops and waits.
//
//   fires where   copies of <= 4 KB from pageable memory, >= 8 a step from one line, and
//                 exposed + making + calling + idle >= least
//   exposed       device time of the copies with nothing else running
//   making        host time between the call before and the copy, with the device idle
//   calling       host time in the copies' calls, with the device idle
//   idle          what the wait in the copy leaves idle behind it (run_ahead.hpp)
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_tiny_h2d(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
