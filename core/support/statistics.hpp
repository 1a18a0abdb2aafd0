// SPDX-License-Identifier: Apache-2.0
// Order statistics over int64 nanoseconds. Percentiles interpolate linearly between closest ranks
// (Hyndman and Fan 1996, type 7) and round to the nearest nanosecond.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope {

// 0 for an empty input.
std::int64_t percentile(std::vector<std::int64_t> values, double fraction);
std::int64_t median(std::vector<std::int64_t> values);

// Median of |x - median|: a spread that a few outliers do not move.
std::int64_t median_absolute_deviation(const std::vector<std::int64_t>& values);

// Splits `total` over `weights` in integers that sum exactly to it (largest remainder method).
// Weights must not be negative; all zero gives the whole to the first.
std::vector<std::int64_t> largest_remainder(std::int64_t total, const std::vector<double>& weights);

// Mean and median of decimals; 0 for an empty input.

double mean_of(const std::vector<double>& values);
double median_of(std::vector<double> values);

// A straight line through points by least squares, with the standard error of its slope.

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

// The Mann-Whitney test (1947): whether one set of values lies above another, by ranks alone, with
// ties.

// Returns the standard deviations by which `a` lies above `b`: 0 where they do not differ, or one
// is empty.
double mann_whitney_z(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace stepscope
