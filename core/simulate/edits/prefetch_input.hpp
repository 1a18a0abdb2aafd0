// SPDX-License-Identifier: Apache-2.0
// Input is prepared beside the step. The host work of the scope (the data phase, or the loader's
// causes where the scope is empty) leaves the loop's thread; workers do it, and the loop waits only
// for what comes late. Calls stay: the batch is still copied. A loader that already has processes of
// its own gets as many as the fix says, or twice as many. What workers compute needs cores: the
// replay gives no more than there are (replay.hpp).
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void prefetch_input(Edit& edit);

}  // namespace stepscope
