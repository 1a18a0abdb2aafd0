// SPDX-License-Identifier: Apache-2.0
// Holm's correction (1979): how sure each of several tests must be, so that a false alarm of any of
// them stays as rare as `level`.
//
// In order of their chances, the i-th of m (from 0) is tested at level / (m - i); from the first
// that does not pass on, all keep that one's level. A test raises an alarm where its chance is at
// most its own level.
#include "core/gate/rules.hpp"

#include <algorithm>
#include <numeric>

namespace stepscope {

std::vector<double> holm_levels(const std::vector<double>& chances, double level) {
  std::vector<std::size_t> order(chances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chances[a] < chances[b]; });
  std::vector<double> levels(chances.size());
  std::size_t alarms = 0;
  bool stopped = false;
  for (const std::size_t test : order) {
    levels[test] = level / static_cast<double>(chances.size() - alarms);
    stopped = stopped || chances[test] > levels[test];
    if (!stopped) ++alarms;
  }
  return levels;
}

}  // namespace stepscope
