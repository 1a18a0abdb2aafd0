// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/step_samples.hpp"

#include <algorithm>
#include <cmath>

#include "core/support/statistics.hpp"

namespace stepscope {

std::vector<double> values_of(const std::vector<StepSample>& samples) {
  std::vector<double> values;
  for (const StepSample& sample : samples) values.push_back(sample.value);
  return values;
}

std::vector<StepSample> CountedSteps::of(const std::vector<DeviceSample>& samples) const {
  std::vector<StepSample> out;
  auto row = rows_.begin();
  for (const DeviceSample& sample : samples) {
    while (row != rows_.end() && window(*row).end <= sample.time) ++row;
    if (row == rows_.end()) break;
    if (window(*row).contains(sample.time)) out.push_back({*row, sample.value});
  }
  return out;
}

Interval CountedSteps::span() const {
  if (rows_.empty()) return {};
  return {window(rows_.front()).begin, window(rows_.back()).end};
}

namespace {

constexpr std::size_t kFewestToCompare = 16;
constexpr double kSlower = 1.03, kOtherClock = 0.02, kSurelyApart = 2.5;

struct StepClock {
  std::int64_t wall = 0;
  double clock = 0;
};

// Slowest first.
std::vector<StepClock> step_clocks(const CountedSteps& counted,
                                   const std::vector<StepSample>& samples) {
  std::vector<StepClock> out;
  for (std::size_t first = 0, last = 0; first < samples.size(); first = last) {
    std::vector<double> clocks;
    for (; last < samples.size() && samples[last].row == samples[first].row; ++last)
      clocks.push_back(samples[last].value);
    out.push_back({counted.window(samples[first].row).length(), mean_of(clocks)});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const StepClock& a, const StepClock& b) { return a.wall > b.wall; });
  return out;
}

}  // namespace

std::optional<SlowSteps> slow_steps(const CountedSteps& counted,
                                    const std::vector<StepSample>& samples) {
  const std::vector<StepClock> steps = step_clocks(counted, samples);
  if (steps.size() < kFewestToCompare) return std::nullopt;
  std::vector<double> walls[2], clocks[2];  // slow, others
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::size_t side = i < steps.size() / 4 ? 0 : 1;
    walls[side].push_back(static_cast<double>(steps[i].wall));
    clocks[side].push_back(steps[i].clock);
  }
  const double others = median_of(clocks[1]);
  if (others <= 0 || median_of(walls[0]) < kSlower * median_of(walls[1])) return std::nullopt;
  const double ratio = median_of(clocks[0]) / others;
  if (std::abs(1 - ratio) < kOtherClock ||
      std::abs(mann_whitney_z(clocks[0], clocks[1])) < kSurelyApart)
    return std::nullopt;
  return SlowSteps{walls[0].size(), ratio};
}

}  // namespace stepscope
