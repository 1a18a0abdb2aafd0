// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/trust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/wording/numbers.hpp"

namespace stepscope {
namespace {

constexpr double kLeastReasonShare = 0.01;

void append(std::string& text, const std::string& part, std::string_view between = ", ") {
  if (part.empty()) return;
  if (!text.empty()) text += between;
  text += part;
}

std::string clock_text(const DeviceHealth& health) {
  if (!health.sm_clock_mhz) return "";
  const ClockSpread& clock = *health.sm_clock_mhz;
  std::string text = fmt::format("SM clock {:.0f} MHz", clock.median);
  if (clock.lowest < clock.highest)
    text += fmt::format(" ({:.0f}-{:.0f})", clock.lowest, clock.highest);
  if (clock.highest_seen > clock.highest)
    text += fmt::format(" of {:.0f} seen", clock.highest_seen);
  return text;
}

// Idle clocks and those that the machine's owner set are no trouble of the run's.
bool is_trouble(const ReasonShare& reason) {
  return reason.share >= kLeastReasonShare && reason.id != "idle" &&
         reason.id != "application_clocks";
}

std::string reasons_text(const DeviceHealth& health, std::string_view of_what) {
  std::string text;
  for (const ReasonShare& reason : health.reasons) {
    if (is_trouble(reason))
      append(text, fmt::format("{} {:.0f} %{}", reason.meaning, 100 * reason.share, of_what));
  }
  return text;
}

std::string limit_text(const DeviceHealth& health) {
  if (!health.default_power_limit_w) return "";
  return *health.power_limit_w < *health.default_power_limit_w
             ? fmt::format(" (lowered from {:.0f} W)", *health.default_power_limit_w)
             : " (the card's own limit)";
}

std::string power_text(const DeviceHealth& health) {
  std::string text;
  if (health.mean_power_w) text = fmt::format("{:.0f} W", *health.mean_power_w);
  if (health.mean_power_w && health.power_limit_w)
    text += fmt::format(" of {:.0f} W{}", *health.power_limit_w, limit_text(health));
  if (health.highest_temperature_celsius)
    append(text, fmt::format("{:.0f} C at most", *health.highest_temperature_celsius));
  return text;
}

std::string memory_text(const DeviceHealth& health) {
  if (!health.memory_peak_bytes) return "";
  std::string text = fmt::format("memory {} at most", format_bytes(*health.memory_peak_bytes));
  const MemoryGrowth& growth = health.memory_growth;
  if (growth.bytes_per_step)
    append(text, fmt::format("{} by {} a step", name_of(growth.trend),
                             format_bytes(std::abs(*growth.bytes_per_step))));
  if (growth.trend == MemoryTrend::not_enough_samples) text += " (too few samples for a trend)";
  return text;
}

std::string slow_text(const DeviceHealth& health) {
  if (!health.slow_steps) return "";
  const double change = health.slow_steps->clock_ratio - 1;
  return fmt::format("slow steps had {:.0f} % {} clocks", 100 * std::abs(change),
                     change < 0 ? "lower" : "higher");
}

bool is_shared(const DeviceHealth& health) {
  return health.other_processes.value_or(0) > 0;
}

std::string shared_text(const DeviceHealth& health) {
  if (!is_shared(health)) return "";
  const double others = *health.other_processes;
  return fmt::format("shared with {:.0f} other process{}, whose work this one may wait for", others,
                     others > 1 ? "es" : "");
}

}  // namespace

bool has_trouble(const DeviceHealth& health) {
  return std::any_of(health.reasons.begin(), health.reasons.end(), is_trouble) ||
         health.memory_growth.trend == MemoryTrend::growing || is_shared(health) ||
         health.slow_steps;
}

std::vector<std::string> health_sentences(const DeviceHealth& health) {
  std::string first = clock_text(health);
  append(first, reasons_text(health, " of the time"));
  append(first, power_text(health));
  std::string second = memory_text(health);
  append(second, shared_text(health), "; ");
  append(second, slow_text(health), "; ");
  std::vector<std::string> out = {first, second};
  std::erase_if(out, [](const std::string& sentence) { return sentence.empty(); });
  return out;
}

std::string health_line(const DeviceHealth& health) {
  std::string text = clock_text(health);
  append(text, reasons_text(health, ""));
  append(text, slow_text(health));
  if (health.mean_power_w) append(text, fmt::format("{:.0f} W", *health.mean_power_w));
  if (health.memory_peak_bytes) append(text, format_bytes(*health.memory_peak_bytes) + " at most");
  return fmt::format("GPU {}: {}", health.device, text);
}

}  // namespace stepscope
