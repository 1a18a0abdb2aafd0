// SPDX-License-Identifier: Apache-2.0
// Steps of a program that is known by samples alone: a loop comes by a line of it once an
// iteration.
//
// A visit begins where samples come to a line from another one. A line whose visits are evenly
// spaced over most of the run is in the loop, and its visits begin the steps. A visit must last
// several samples, or some are missed and the spacing is chance's; without such a line no step is
// claimed. A step's time is known to one spacing of samples, the mean over n steps to a n-th of it.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// Finds steps in a process that has a single range and samples.
Loop find_sampled_lines(const Activity& activity);

}  // namespace stepscope
