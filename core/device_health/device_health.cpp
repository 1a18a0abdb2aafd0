// SPDX-License-Identifier: Apache-2.0
#include "core/device_health/device_health.hpp"

#include <algorithm>

#include "core/device_health/step_samples.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kLargestMask = 18446744073709551616.0;  // 2^64: no more bits than a mask has

double highest_of(const std::vector<DeviceSample>& samples) {
  double highest = 0;
  for (const DeviceSample& sample : samples) highest = std::max(highest, sample.value);
  return highest;
}

std::optional<ClockSpread> spread_of(const std::vector<double>& clocks, double highest_seen) {
  if (clocks.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  return ClockSpread{median_of(clocks), *low, *high, highest_seen};
}

std::vector<ReasonShare> reasons_of(const std::vector<double>& masks) {
  std::vector<ReasonShare> out;
  for (const ClockReason& reason : kClockReasons) {
    const auto held = std::count_if(masks.begin(), masks.end(), [&](double mask) {
      return mask >= 0 && mask < kLargestMask &&
             (static_cast<std::uint64_t>(mask) & reason.bit) != 0;
    });
    if (held == 0) continue;
    out.push_back(
        {reason.id, reason.meaning, static_cast<double>(held) / static_cast<double>(masks.size())});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ReasonShare& a, const ReasonShare& b) { return a.share > b.share; });
  return out;
}

std::optional<double> lowest_watts(const std::vector<DeviceSample>& samples) {
  const auto lowest = std::min_element(
      samples.begin(), samples.end(),
      [](const DeviceSample& a, const DeviceSample& b) { return a.value < b.value; });
  return lowest == samples.end() ? std::nullopt : std::optional(lowest->value / 1000);
}

std::optional<double> bytes_per_second(const std::vector<DeviceSample>& sums, Interval span) {
  const DeviceSample* first = nullptr;
  const DeviceSample* last = nullptr;
  for (const DeviceSample& sample : sums) {
    if (!span.contains(sample.time)) continue;
    if (first == nullptr) first = &sample;
    if (last != nullptr && sample.value < last->value) return std::nullopt;  // it began anew
    last = &sample;
  }
  if (first == last) return std::nullopt;
  return (last->value - first->value) / (static_cast<double>(last->time - first->time) / 1e9);
}

DeviceHealth health_of(std::uint32_t device, const DeviceSamples& samples,
                       const CountedSteps& counted) {
  using enum DeviceCounter;
  DeviceHealth out{.device = device};
  const auto in_steps = [&](DeviceCounter c) { return counted.of(samples.of(c)); };
  const auto peak = [&](DeviceCounter c) {
    return samples.of(c).empty() ? std::nullopt : std::optional(highest_of(samples.of(c)));
  };
  const std::vector<StepSample> clocks = in_steps(sm_clock_mhz);
  out.samples = clocks.size();
  out.sm_clock_mhz = spread_of(values_of(clocks), highest_of(samples.of(sm_clock_mhz)));
  out.slow_steps = slow_steps(counted, clocks);
  out.reasons = reasons_of(values_of(in_steps(throttle_reasons)));
  if (const auto power = values_of(in_steps(power_mw)); !power.empty())
    out.mean_power_w = mean_of(power) / 1000;
  out.power_limit_w = lowest_watts(samples.of(power_limit_mw));
  out.default_power_limit_w = lowest_watts(samples.of(default_power_limit_mw));
  if (const auto heat = values_of(in_steps(temperature_celsius)); !heat.empty())
    out.highest_temperature_celsius = *std::max_element(heat.begin(), heat.end());
  // Read about once a second: a short loop may lie between two samples.
  if (const auto others = values_of(in_steps(other_processes)); !others.empty())
    out.other_processes = *std::max_element(others.begin(), others.end());
  else
    out.other_processes = peak(other_processes);
  out.memory_peak_bytes = peak(memory_used_bytes);
  out.process_memory_peak_bytes = peak(process_memory_bytes);
  const auto own_memory = in_steps(process_memory_bytes);
  out.memory_growth = memory_growth(own_memory);
  if (out.memory_growth.trend == MemoryTrend::not_enough_samples)
    out.memory_growth = memory_growth(in_steps(memory_used_bytes));
  out.nvlink_sent_bytes_per_second =
      bytes_per_second(samples.of(nvlink_sent_bytes), counted.span());
  out.nvlink_received_bytes_per_second =
      bytes_per_second(samples.of(nvlink_received_bytes), counted.span());
  return out;
}

bool has_samples_in(const DeviceSamples& samples, const CountedSteps& counted) {
  return std::any_of(samples.by_counter.begin(), samples.by_counter.end(),
                     [&](const auto& list) { return !counted.of(list).empty(); });
}

}  // namespace

bool works_at_its_own_power_limit(const DeviceHealth& health) {
  constexpr double kSeldom = 0.05;
  if (!health.power_limit_w || !health.default_power_limit_w) return false;
  if (*health.power_limit_w < *health.default_power_limit_w) return false;
  bool is_capped = false;
  for (const ReasonShare& reason : health.reasons) {
    is_capped = is_capped || reason.id == "power_cap";
    if (reason.id != "power_cap" && reason.id != "idle" && reason.share >= kSeldom) return false;
  }
  return is_capped;
}

std::vector<DeviceHealth> device_health(const Trace& trace, const Steps& steps,
                                        const std::vector<std::uint32_t>& counted) {
  const CountedSteps in(steps, counted);
  std::vector<DeviceHealth> out;
  for (const auto& [device, samples] : device_samples(trace, steps.process)) {
    if (has_samples_in(samples, in)) out.push_back(health_of(device, samples, in));
  }
  return out;
}

}  // namespace stepscope
