// SPDX-License-Identifier: Apache-2.0
// batch_repeats: work that a phase does `every` times one after another in a step is done once for
// all of them. The first 1/every of its launches in a step stay, with the host work before them; a
// kernel that then works on all takes longer by a tenth for each further one (an assumption).
#pragma once

#include "core/simulate/edits/edit.hpp"

namespace stepscope {

void batch_repeats(Edit& edit);

}  // namespace stepscope
