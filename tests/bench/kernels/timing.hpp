// SPDX-License-Identifier: Apache-2.0
// What a list of times, of which there is at least one, says.
#pragma once

#include <algorithm>
#include <vector>

namespace stepscope::kernels {

struct Timing {
  double median_us = 0, p99_us = 0, least_us = 0;
};

inline Timing timing_of(std::vector<double> times_us) {
  std::sort(times_us.begin(), times_us.end());
  const std::size_t count = times_us.size();
  return {times_us[count / 2], times_us[count * 99 / 100], times_us.front()};
}

}  // namespace stepscope::kernels
