// SPDX-License-Identifier: Apache-2.0
// A positive quantity from few repeats. Means and intervals are taken of logarithms (geometric
// means), because what disturbs a rate multiplies it; intervals are Student's, 95 %.
#pragma once

#include <optional>
#include <vector>

namespace stepscope {

struct RepeatedMean {
  double value = 0;
  // Absent where fewer than two repeats say nothing of their spread.
  std::optional<double> low, high;
};

// Returns the mean of positive values; 0 if there are none.
RepeatedMean repeated_mean(const std::vector<double>& values);

// b / a, repeat by repeat; what one side alone has is left out.
RepeatedMean ratio_of(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stepscope
