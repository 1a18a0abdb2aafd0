// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stepscope {

std::int64_t percentile(std::vector<std::int64_t> values, double fraction) {
  if (values.empty()) return 0;
  const double rank = fraction * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(rank);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  std::sort(values.begin(), values.end());
  const double weight = rank - static_cast<double>(low);
  return values[low] + std::llround(weight * static_cast<double>(values[high] - values[low]));
}

std::int64_t median(std::vector<std::int64_t> values) {
  return percentile(std::move(values), 0.5);
}

std::int64_t median_absolute_deviation(const std::vector<std::int64_t>& values) {
  const std::int64_t middle = median(values);
  std::vector<std::int64_t> distances;
  distances.reserve(values.size());
  for (std::int64_t v : values) distances.push_back(std::abs(v - middle));
  return median(std::move(distances));
}

std::vector<std::int64_t> largest_remainder(std::int64_t total,
                                            const std::vector<double>& weights) {
  std::vector<std::int64_t> parts(weights.size(), 0);
  if (parts.empty()) return parts;
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (sum <= 0) {
    parts.front() = total;
    return parts;
  }
  std::vector<std::pair<double, std::size_t>> remainders;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = static_cast<double>(total) * weights[i] / sum;
    parts[i] = static_cast<std::int64_t>(std::floor(exact));
    given += parts[i];
    remainders.emplace_back(exact - std::floor(exact), i);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  // Rounding in double can leave more or less than one unit a part: go round until all is given.
  for (std::size_t i = 0; given != total; i = (i + 1) % parts.size()) {
    const std::int64_t unit = given < total ? 1 : -1;
    parts[remainders[i].second] += unit;
    given += unit;
  }
  return parts;
}

}  // namespace stepscope
