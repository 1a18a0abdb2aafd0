// SPDX-License-Identifier: Apache-2.0
// batch_repeats: what the phase does `every` times one after another in a step, it does once for
// all of them. Of its launches in a step the first 1/every stay, with the host work on the way; a
// kernel that then works on all takes longer by a tenth for each further one (an assumption).
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void batch_repeats(Edit& edit);

}  // namespace stepscope
