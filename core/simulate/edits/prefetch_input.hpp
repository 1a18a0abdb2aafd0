// SPDX-License-Identifier: Apache-2.0
// Input is prepared beside the step. The host work of the scope (the data phase, or the loader's
// causes where the scope is empty) leaves the loop's thread; a producer does it, and the loop waits
// only for what comes late. Calls stay: the batch is still copied. A loader that already has
// processes of its own gets more of them.
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void prefetch_input(Edit& edit);

}  // namespace stepscope
