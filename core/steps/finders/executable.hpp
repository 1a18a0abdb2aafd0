// SPDX-License-Identifier: Apache-2.0
// Runs of an executable that XLA compiled (a jitted function of JAX): of the executables that ran
// three times at least, the one with the most work. A run inside a compilation (autotuning) is
// none, and an executable whose name says evaluation is taken only where no other runs. Where a
// step runs several (a gradient and an update), the others' runs lie between those of this one, and
// belong to the step of the run behind them, as all work between two steps does.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_executable_runs(const Activity& activity);

}  // namespace stepscope
