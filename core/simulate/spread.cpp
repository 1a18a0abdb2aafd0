// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/spread.hpp"

#include <algorithm>
#include <cmath>

#include "core/simulate/inflation.hpp"

namespace stepscope {
namespace {

constexpr double kErrorOfGain = 0.06;  // what an edit cannot know of the repaired program, at least
// From one run to the next host work takes longer or shorter by this much (standard deviation), by
// where threads and memory come to lie; the device's work does not. Measured: seven programs whose
// host bounds them, three or four runs each, 6 %; two bound by their device, 0.2 %
// (docs/measurements/forecasts.md).
constexpr double kRunToRun = 0.06;
constexpr double kHostProbe = 0.05;  // host work longer by this much shows what depends on it
constexpr double kNinetyPercentOfTwoRuns = 2.33;  // standard deviations, of a difference of two
// Share of the step by which it varies, assumed where only one step counts.
constexpr double kUnknownVariation = 0.03;
constexpr std::size_t kFewestOfALine = 3;

// Returns how much of the step with the fixes is as long as the host is: all of it where the host
// holds the step back, although the device works beside it; nothing where the device does.
double bound_by_host_ns(const ReplayedSteps& steps, const FixedSteps& fixed) {
  const double slower = replay(with_host_times(fixed.graph, 1 + kHostProbe)).ns();
  return std::max(0.0, steps.anchored(slower - fixed.replayed.ns()) / kHostProbe);
}

}  // namespace

double ninety_percent(std::size_t n) {
  constexpr double z = 1.6449;
  const double freedom = std::max(1.0, static_cast<double>(n) - 1);
  const double first = (std::pow(z, 3) + z) / (4 * freedom);
  const double second =
      (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * freedom * freedom);
  return std::sqrt(2.0) * (z + first + second);
}

double standard_error(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 2) return 0;
  double mean = 0;
  for (const double v : values) mean += v / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / (n - 1) / n);
}

double WeightedLine::error_of_sum() const {
  const std::size_t n = points_.size();
  if (n < 2) return 0;
  double weights = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point& p : points_) {
    weights += p.weight;
    x += p.weight * p.x;
    y += p.weight * p.y;
  }
  for (const Point& p : points_) {
    xx += p.weight * std::pow(p.x - x / weights, 2);
    xy += p.weight * (p.x - x / weights) * (p.y - y / weights);
  }
  const bool is_line = n > kFewestOfALine && xx > 0;
  const double slope = is_line ? xy / xx : 0;
  double squares = 0;
  for (const Point& p : points_)
    squares += std::pow(p.weight * (p.y - y / weights - slope * (p.x - x / weights)), 2);
  const auto known = static_cast<double>(n - (is_line ? 2 : 1));
  return std::sqrt(squares * static_cast<double>(n) / known);
}

double spread_ns(const ReplayedSteps& steps, const FixedSteps& fixed, double replay_error) {
  const Replayed& base = steps.base;
  const Replayed& with = fixed.replayed;
  WeightedLine gains;
  for (std::size_t i = 0; i < with.step_ns.size(); ++i) {
    const double weight = steps.graph.steps[i].stands_for;
    gains.add({base.step_ns[i] / weight, (base.step_ns[i] - with.step_ns[i]) / weight, weight});
  }
  const double anchor_ns = steps.anchor_ns;
  const double gain = std::abs(1 - with.ns() / base.ns()) * anchor_ns;
  const double remains = with.ns() / base.ns();
  const std::size_t counted = steps.counted_ns.size();
  const double varies = counted < 2 ? kUnknownVariation * anchor_ns * remains : 0;
  const double parts[] = {
      ninety_percent(with.step_ns.size()) * steps.anchored(gains.error_of_sum()),
      ninety_percent(counted) * standard_error(steps.counted_ns) * remains,
      std::max(replay_error, kErrorOfGain) * gain, varies,
      kNinetyPercentOfTwoRuns * kRunToRun * bound_by_host_ns(steps, fixed)};
  double squares = 0;
  for (const double part : parts) squares += part * part;
  return std::sqrt(squares);
}

}  // namespace stepscope
