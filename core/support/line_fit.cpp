// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope {

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

}  // namespace stepscope
