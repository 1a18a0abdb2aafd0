// SPDX-License-Identifier: Apache-2.0
// How far a forecast may be off: its uncertainties, as 90 % to either side.
//
// Steps vary, the replay errs, an edit does not know the repaired program, and from one run to the
// next host work takes longer or shorter. These are independent, so their squares add up.
// Internal to core/simulate.
#pragma once

#include <cstddef>
#include <vector>

#include "core/simulate/replayed_steps.hpp"

namespace stepscope {

// Returns ns of a step. `replay_error`: ReplayCheck::error.
double spread_ns(const ReplayedSteps& steps, const FixedSteps& fixed, double replay_error);

// Standard error of the mean of these values; 0 for fewer than two.
double standard_error(const std::vector<double>& values);

// Standard deviations to both sides of a mean of n values that hold 90 % (Student's t, by the
// expansion of Cornish and Fisher), for another mean of as many.
double ninety_percent(std::size_t n);

}  // namespace stepscope
