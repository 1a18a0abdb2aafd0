// SPDX-License-Identifier: Apache-2.0
// The Mann-Whitney test (1947): whether one set of values lies above another, by ranks alone, with
// ties.
#pragma once

#include <vector>

namespace stepscope {

// Returns the standard deviations by which `a` lies above `b`: 0 where they do not differ, or one
// is empty.
double mann_whitney_z(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stepscope
