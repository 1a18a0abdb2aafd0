// SPDX-License-Identifier: Apache-2.0
// How much larger candidate values are than baseline values, by ranks alone: bounds of Hodges and
// Lehmann (1963) on the ratio, from the exact distributions of Mann and Whitney's U and Wilcoxon's
// signed rank sum.
//
// Values are positive and finite. With N runs a side, all ratios c / b are put in order; the bound
// that the true ratio exceeds with probability 1 - level is the k-th smallest of them, where k is
// the largest with P(U < k) <= level. Too few runs for the level (3 a side for less than 1 in 20)
// have no bound. Pairs: the geometric means of each two pairs' ratios, and the signed rank sum.
// Above 60 runs a side the distributions are taken as normal, with a correction for steps of one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace stepscope {

struct RatioSample {
  std::vector<double> baseline;
  std::vector<double> candidate;
  bool paired = false;  // baseline[i] and candidate[i] ran one after the other
};

// One-sided bounds, each exceeded by chance with at most `level`. Nothing: too few runs.
std::optional<double> lowest_ratio(const RatioSample& sample, double level);
std::optional<double> highest_ratio(const RatioSample& sample, double level);

// The middle of the ratios: the estimate that belongs to the bounds.
double middle_ratio(const RatioSample& sample);

// Chance of ratios as high as these where the true ratio is `ratio` or less. Equal values count for
// "no higher".
double chance_of_ratio(const RatioSample& sample, double ratio);

// P(U <= u) of Mann and Whitney's statistic over m and n values without ties; P(W <= w) of the
// signed rank sum over n pairs.
std::vector<double> mann_whitney_distribution(std::size_t m, std::size_t n);
std::vector<double> signed_rank_distribution(std::size_t n);

}  // namespace stepscope
