// SPDX-License-Identifier: Apache-2.0
// Mean and median of decimals; 0 for an empty input.
#pragma once

#include <vector>

namespace stepscope {

double mean_of(const std::vector<double>& values);
double median_of(std::vector<double> values);

}  // namespace stepscope
