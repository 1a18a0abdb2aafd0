// SPDX-License-Identifier: Apache-2.0
// Gives the last step its tail. A loop that does something behind every n-th step (an evaluation at
// the end of an epoch, the fetch that finds the loader empty) does it behind the last one, too,
// where the number of steps fits. Work behind any other step belongs to the next one.
//
// The stretches behind steps n, 2n, ... must hold more than steps usually do, and hardly any other.
// The last step is given as much as the shortest head of the latest of them without which that is
// a usual step. Where the program's loops are known they say this exactly, and this is not used.
#pragma once

#include "core/steps/finders/finders.hpp"

namespace stepscope {

// Moves the end of the loop's last step behind such work, if there is any.
void add_tail(const Activity& activity, Loop& loop);

}  // namespace stepscope
