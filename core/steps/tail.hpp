// SPDX-License-Identifier: Apache-2.0
// What a loop does behind every n-th step (an evaluation at the end of an epoch, the fetch that
// finds the loader empty) it does behind the last one, too, where the number of steps fits; it is
// that step's. Work behind a step belongs to the next one, and the last has none.
//
// The stretches behind steps n, 2n, ... must hold more than steps usually do, and hardly any other.
// What is due is the shortest head of the latest of them without which it is a usual step. The
// program's loops tell this exactly where they are known; this serves where they are not.
#pragma once

#include "core/steps/finders/finders.hpp"

namespace stepscope {

// Moves the end of the loop's last step behind such work, if there is any.
void add_tail(const Activity& activity, Loop& loop);

}  // namespace stepscope
