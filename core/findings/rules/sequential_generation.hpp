// SPDX-License-Identifier: Apache-2.0
// sequential_generation: texts (or samples) are made one after another by nearly the same short
// sequence of small kernels, again and again.
//
//   fires where   in one phase of a step: passes >= 48, of >= 8 kernels each, at least two of them
//                 matrix products, half of the kernels shorter than 10 us, sequences >= 2, and the
//                 phase's wall time >= 5 % of the step (and ceiling >= least)
//   passes        the number of times that most of its kernels are launched: the count to which
//                 (or to multiples of which) three quarters of the phase's launches belong
//   sequences     the fewest times (two or more, at most an eighth of the passes) that two kernels
//                 or more are launched a step: what runs once for each. One sequence alone is
//                 decoding as it is, and launch_bound's matter
//   ceiling       all but one of the sequences' share of the phase's time: N sequences in one batch
//                 take little longer than one (an assumption)
//   Not in an optimizer's phase, and not in the backward pass.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_sequential_generation(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
