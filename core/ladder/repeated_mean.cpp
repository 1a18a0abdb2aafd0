// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/ladder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepscope {
namespace {

// Student's t at 97.5 % for 1 to 30 degrees of freedom; above, the normal's.
double student_t(std::size_t degrees) {
  constexpr std::array kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                 2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                 2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                 2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return degrees <= kTable.size() ? kTable[degrees - 1] : 1.96;
}

}  // namespace

RepeatedMean repeated_mean(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  double mean = 0, spread = 0;
  for (const double value : values) mean += std::log(value) / count;
  if (values.size() == 1) return {values.front(), std::nullopt, std::nullopt};
  for (const double value : values) spread += std::pow(std::log(value) - mean, 2);
  const double half =
      student_t(values.size() - 1) * std::sqrt(spread / (count - 1)) / std::sqrt(count);
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

RepeatedMean ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (a[i] > 0 && b[i] > 0) ratios.push_back(b[i] / a[i]);
  return repeated_mean(ratios);
}

}  // namespace stepscope
