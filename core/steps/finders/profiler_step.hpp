// SPDX-License-Identifier: Apache-2.0
// ProfilerStep#N ranges of torch.profiler. Copies of them on the device's time line do not count
// twice.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_profiler_steps(const Activity& activity);

}  // namespace stepscope
