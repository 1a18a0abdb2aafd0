// SPDX-License-Identifier: Apache-2.0
// Notes for a reader on the long steps after warm-up (long_rule.hpp): which of them a recorded fact
// explains (a range that most steps lack, more work, modules loaded), and whether the others return
// at even distances, as periodic work does that left no other trace. The steps count all the same.
#pragma once

#include "core/steps/steps.hpp"
#include "core/steps/unusual/explain.hpp"

namespace stepscope {

void note_long_steps(const Explanations& explanations, Steps& steps);

}  // namespace stepscope
