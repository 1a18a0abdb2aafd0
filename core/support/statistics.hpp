// SPDX-License-Identifier: Apache-2.0
// Order statistics over int64 nanoseconds. Percentiles interpolate linearly between closest ranks
// (Hyndman and Fan 1996, type 7) and round to the nearest nanosecond.
#pragma once

#include <cstdint>
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

}  // namespace stepscope
