// SPDX-License-Identifier: Apache-2.0
#include "core/gate/further_runs.hpp"

#include <algorithm>
#include <cmath>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// 80 % quantile of the normal distribution, for a power of 0.8.
constexpr double kPowerDeviations = 0.8416;
constexpr double kRankEfficiency = 0.955;

// The deviation above which a normal value lies with chance `level`, by bisection.
double deviations_at(double level) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > level ? low : high) = middle;
  }
  return low;
}

// Sum of squares of log values about their mean.
double squares(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const double mean = mean_of(logs);
  double out = 0;
  for (const double value : logs) out += (value - mean) * (value - mean);
  return out;
}

// Variance of the estimated log ratio, times the number of runs a side.
double variance_of(const RatioSample& sample) {
  if (sample.paired) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < sample.baseline.size(); ++i)
      ratios.push_back(sample.candidate[i] / sample.baseline[i]);
    return squares(ratios) / static_cast<double>(std::max<std::size_t>(1, ratios.size() - 1));
  }
  const std::size_t both = sample.baseline.size() + sample.candidate.size();
  const double freedom = static_cast<double>(std::max<std::size_t>(3, both) - 2);
  return 2 * (squares(sample.baseline) + squares(sample.candidate)) / freedom;
}

// The smallest chance that n runs a side can have.
double least_chance(std::uint64_t runs, bool paired) {
  const auto n = static_cast<std::size_t>(runs);
  return (paired ? signed_rank_distribution(n) : mann_whitney_distribution(n, n)).front();
}

}  // namespace

double smallest_chance(const RatioSample& sample) {
  if (sample.paired) return signed_rank_distribution(sample.baseline.size()).front();
  return mann_whitney_distribution(sample.baseline.size(), sample.candidate.size()).front();
}

std::optional<std::uint64_t> further_runs(const RatioSample& sample, double tolerance,
                                          double level) {
  const std::uint64_t now = std::min(sample.baseline.size(), sample.candidate.size());
  std::uint64_t needed = now + 1;
  while (needed <= kMostRunsAsked && least_chance(needed, sample.paired) > level) ++needed;
  const double distance = std::log(middle_ratio(sample)) - std::log1p(tolerance);
  const double deviations = deviations_at(level) + kPowerDeviations;
  const double runs =
      variance_of(sample) * deviations * deviations / (kRankEfficiency * distance * distance);
  if (!(runs <= static_cast<double>(kMostRunsAsked))) return std::nullopt;
  needed = std::max(needed, static_cast<std::uint64_t>(std::ceil(runs)));
  return needed - now;
}

}  // namespace stepscope
