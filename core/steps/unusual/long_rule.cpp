// SPDX-License-Identifier: Apache-2.0
#include "core/steps/unusual/long_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kTimesMedian = 1.5;
constexpr double kDeviations = 5;
constexpr double kSigmaOfMad = 1.4826;  // standard deviation / MAD of a normal distribution

}  // namespace

double LongRule::times_median(std::int64_t wall_ns) const {
  return static_cast<double>(wall_ns) / static_cast<double>(std::max<std::int64_t>(1, median_ns));
}

LongRule long_rule(const std::vector<std::int64_t>& walls, std::int64_t begin_error_ns) {
  const std::int64_t middle = median(walls);
  const double spread =
      kDeviations * kSigmaOfMad * static_cast<double>(median_absolute_deviation(walls));
  const double least = (kTimesMedian - 1) * static_cast<double>(middle);
  const auto more = static_cast<std::int64_t>(std::max(spread, least));
  return {middle, middle + more + 2 * begin_error_ns};
}

std::string long_rule_text() {
  return fmt::format("over {:g}x the median and {:g} deviations beyond it", kTimesMedian,
                     kDeviations);
}

std::vector<std::int64_t> walls_from(const Steps& steps, std::size_t first) {
  std::vector<std::int64_t> walls;
  for (std::size_t k = first; k < steps.list.size(); ++k) {
    if (steps.list[k].wall_known) walls.push_back(steps.list[k].wall_ns());
  }
  return walls;
}

}  // namespace stepscope
