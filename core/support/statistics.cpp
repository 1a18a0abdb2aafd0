// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

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

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// Sums about the means: values of 1e11 that differ by 1e6 keep their digits.
std::optional<LineFit> fit_line(const std::vector<Point>& points) {
  const auto n = static_cast<double>(points.size());
  if (points.size() < 3) return std::nullopt;
  Point mean;
  for (const Point& p : points) {
    mean.x += p.x / n;
    mean.y += p.y / n;
  }
  double xx = 0, xy = 0, yy = 0;
  for (const Point& p : points) {
    xx += (p.x - mean.x) * (p.x - mean.x);
    xy += (p.x - mean.x) * (p.y - mean.y);
    yy += (p.y - mean.y) * (p.y - mean.y);
  }
  if (xx <= 0) return std::nullopt;
  const double slope = xy / xx;
  const double left = std::max(0.0, yy - slope * xy);
  return LineFit{slope, std::sqrt(left / (n - 2) / xx)};
}

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
