// SPDX-License-Identifier: Apache-2.0
// A straight line through points by least squares, with the standard error of its slope.
#pragma once

#include <optional>
#include <vector>

namespace stepscope {

struct Point {
  double x = 0;
  double y = 0;
};

struct LineFit {
  double slope = 0;
  double slope_error = 0;  // 0 where the points lie on the line
};

// Nothing for fewer than three points, or where all have one x.
std::optional<LineFit> fit_line(const std::vector<Point>& points);

}  // namespace stepscope
