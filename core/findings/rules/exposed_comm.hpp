// SPDX-License-Identifier: Apache-2.0
// exposed_comm: communication runs while no compute does.
//
//   fires where   exposed >= 3 % of the step (and >= least)
//   exposed       time that comm.transfer and comm.late_rank own: compute has priority in the
//                 partition, so what hides behind it is not in it
//   else          cleared as not worth fixing, with what hides and what does not
//   Where the traces of all ranks are at hand, waiting for a late rank is told apart: no overlap
//   helps there.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_exposed_comm(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
