// SPDX-License-Identifier: Apache-2.0
// What a loop does behind every n-th step (an evaluation at the end of an epoch) it does behind the
// last one, too, where the number of steps fits; it is that step's. Work behind a step belongs to
// the next one, and the last has none.
//
// The stretches behind steps n, 2n, ... must hold work beyond the usual that others lack, or much
// of it, and the work behind the last step must begin with what the latest of them held. Before
// that comes the fetch that finds a loader empty (empty_fetch.hpp).
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// Moves the end of the loop's last step behind such work, if there is any.
void add_tail(const Activity& activity, Loop& loop);

}  // namespace stepscope
