// SPDX-License-Identifier: Apache-2.0
// exposed_copy: copies from or to pinned memory run while no compute does, although the host does
// not wait for them: they stand in the stream of the compute that needs them.
//
//   fires where   exposed >= 3 % of the step, and ceiling >= least
//   exposed       time that copy.h2d.pinned, and copy.d2h into pinned memory, own: compute has
//                 priority in the partition, so what hides behind it is not in it
//   room          the step less what the copies of one direction take: they need that in any case
//   ceiling       min(exposed, room), by running beside compute; where that is less than half of
//                 what is exposed, half of it: half of the bytes
//   abstains      where the kind of the host's memory was not recorded
//   Copies from pageable memory are pageable_copy's.
#pragma once

#include "core/findings/price.hpp"

namespace stepscope::rules {

void judge_exposed_copy(JudgedRun& run, Findings& out);

}  // namespace stepscope::rules
