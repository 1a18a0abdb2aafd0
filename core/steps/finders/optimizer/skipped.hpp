// SPDX-License-Identifier: Apache-2.0
// Iterations that ran without their optimizer (a gradient scaler met an overflow): found by
// zero_grad.
#pragma once

#include <vector>

#include "core/steps/activity.hpp"

namespace stepscope {

// Steps in time order, those split that hold a multiple of the usual number of zero_grad scopes, as
// many optimizer steps as usual (more is an iteration that steps another optimizer, too), and in
// each piece at least half of the usual work and backward nodes. The first step is left as it
// is: it may hold the program's start.
std::vector<Interval> split_skipped(const Activity& activity, const std::vector<Interval>& steps,
                                    const std::vector<RangeId>& zero_grads,
                                    const std::vector<RangeId>& optimizer_steps);

}  // namespace stepscope
