// SPDX-License-Identifier: Apache-2.0
// Holm's correction (1979): how sure each of several tests must be, so that a false alarm of any of
// them stays as rare as `level`.
//
// In order of their chances, the i-th of m (from 0) is tested at level / (m - i); from the first
// that does not pass on, all keep that one's level. A test raises an alarm where its chance is at
// most its own level.
#pragma once

#include <vector>

namespace stepscope {

// The level of each chance, in the order given.
std::vector<double> holm_levels(const std::vector<double>& chances, double level);

}  // namespace stepscope
