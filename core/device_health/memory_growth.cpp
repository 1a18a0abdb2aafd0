// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/memory_growth.hpp"

#include <array>
#include <cmath>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kFewestSamples = 8, kFewestSteps = 4;
constexpr double kSurelySloped = 4, kPartOfAQuarter = 0.1, kLeastWay = 4.0 * (1U << 20U);

std::size_t steps_in(const std::vector<StepSample>& samples) {
  std::size_t steps = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    steps += i == 0 || samples[i].row != samples[i - 1].row ? 1U : 0U;
  return steps;
}

// Each later quarter of the samples went its part of the way.
bool goes_on_all_along(const std::vector<double>& values) {
  std::array<double, 4> quarters{};
  for (std::size_t i = 0; i < quarters.size(); ++i) {
    const auto at = [&](std::size_t q) {
      return values.begin() + static_cast<std::ptrdiff_t>(values.size() * q / quarters.size());
    };
    quarters[i] = median_of({at(i), at(i + 1)});
  }
  const double way = quarters.back() - quarters.front();
  if (std::abs(way) < kLeastWay) return false;
  for (std::size_t i = 1; i < quarters.size(); ++i) {
    if ((quarters[i] - quarters[i - 1]) / way < kPartOfAQuarter) return false;
  }
  return true;
}

}  // namespace

MemoryGrowth memory_growth(const std::vector<StepSample>& samples) {
  if (samples.size() < kFewestSamples || steps_in(samples) < kFewestSteps) return {};
  std::vector<Point> points;
  for (const StepSample& sample : samples)
    points.push_back({static_cast<double>(sample.row), sample.value});
  const auto fit = fit_line(points);
  if (!fit || std::abs(fit->slope) <= kSurelySloped * fit->slope_error ||
      !goes_on_all_along(values_of(samples)))
    return {MemoryTrend::flat, std::nullopt};
  return {fit->slope > 0 ? MemoryTrend::growing : MemoryTrend::shrinking, fit->slope};
}

std::string_view name_of(MemoryTrend trend) {
  switch (trend) {
    case MemoryTrend::flat:
      return "flat";
    case MemoryTrend::growing:
      return "growing";
    case MemoryTrend::shrinking:
      return "shrinking";
    case MemoryTrend::not_enough_samples:
      break;
  }
  return "not_enough_samples";
}

}  // namespace stepscope
