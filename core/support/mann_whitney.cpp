// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stepscope {

// U = rank sum of a - m(m+1)/2. Equal values share the mean of their ranks, which makes the
// variance smaller by the term of ties.
double mann_whitney_z(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<std::pair<double, bool>> all;
  for (const double value : a) all.emplace_back(value, true);
  for (const double value : b) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  double ranks = 0, ties = 0;
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].first == all[first].first) ++last;
    const auto equal = static_cast<double>(last - first);
    const double rank = (static_cast<double>(first + last) + 1) / 2;
    for (std::size_t i = first; i < last; ++i) ranks += all[i].second ? rank : 0;
    ties += equal * equal * equal - equal;
  }
  const auto m = static_cast<double>(a.size()), n = static_cast<double>(b.size());
  const double both = m + n;
  if (a.empty() || b.empty() || both < 2) return 0;
  const double variance = m * n / 12 * (both + 1 - ties / (both * (both - 1)));
  const double above = ranks - m * (m + 1) / 2 - m * n / 2;
  return variance > 0 ? above / std::sqrt(variance) : 0;
}

}  // namespace stepscope
