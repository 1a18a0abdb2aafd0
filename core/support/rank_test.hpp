// SPDX-License-Identifier: Apache-2.0
// Whether one set of values lies above another, by ranks alone (Mann and Whitney 1947), with ties.
#pragma once

#include <vector>

namespace stepscope {

// Standard deviations by which `a` lies above `b`: 0 where nothing tells them apart, or one is
// empty.
double rank_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stepscope
