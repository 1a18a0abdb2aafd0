// SPDX-License-Identifier: Apache-2.0
// How the devices were: clocks, why they were low, power, temperature, memory. Nothing where
// nothing was sampled. One device takes a paragraph; of several, those with the lowest clocks a
// line each.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostDevices = 3;
constexpr double kLeastReasonShare = 0.01;
constexpr std::string_view kTitle = "Device  ", kIndent = "        ";

void add(std::string& text, const std::string& part, std::string_view between = ", ") {
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
      add(text, fmt::format("{} {:.0f} %{}", reason.meaning, 100 * reason.share, of_what));
  }
  return text;
}

std::string power_text(const DeviceHealth& health) {
  std::string text;
  if (health.mean_power_w) text = fmt::format("{:.0f} W", *health.mean_power_w);
  if (health.highest_temperature_celsius)
    add(text, fmt::format("{:.0f} C at most", *health.highest_temperature_celsius));
  return text;
}

std::string memory_text(const DeviceHealth& health) {
  if (!health.memory_peak_bytes) return "";
  std::string text = fmt::format("memory {} at most", format_bytes(*health.memory_peak_bytes));
  const MemoryGrowth& growth = health.memory_growth;
  if (growth.bytes_per_step)
    add(text, fmt::format("{} by {} a step", name_of(growth.trend),
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

Colour colour_of(const DeviceHealth& health) {
  const bool trouble = std::any_of(health.reasons.begin(), health.reasons.end(), is_trouble);
  const bool grows = health.memory_growth.trend == MemoryTrend::growing;
  return trouble || grows || is_shared(health) || health.slow_steps ? Colour::yellow
                                                                    : Colour::plain;
}

std::string paragraph(const Page& page, const DeviceHealth& health) {
  std::string first = clock_text(health);
  add(first, reasons_text(health, " of the time"));
  add(first, power_text(health));
  std::string second = memory_text(health);
  add(second, shared_text(health), "; ");
  add(second, slow_text(health), "; ");
  std::string out;
  for (const std::string& line : {first, second}) {
    if (!line.empty())
      out += wrapped(out.empty() ? kTitle : kIndent, line, page.style, colour_of(health));
  }
  return out;
}

std::string line_of(const DeviceHealth& health) {
  std::string text = clock_text(health);
  add(text, reasons_text(health, ""));
  add(text, slow_text(health));
  if (health.mean_power_w) add(text, fmt::format("{:.0f} W", *health.mean_power_w));
  if (health.memory_peak_bytes) add(text, format_bytes(*health.memory_peak_bytes) + " at most");
  return fmt::format("GPU {}: {}", health.device, text);
}

double clock_of(const DeviceHealth& health) {
  return health.sm_clock_mhz ? health.sm_clock_mhz->median : 0;
}

}  // namespace

std::string health(const Page& page) {
  std::vector<DeviceHealth> devices = page.summary.device_health;
  if (devices.empty()) return "";
  if (devices.size() == 1) return paragraph(page, devices.front());
  std::stable_sort(
      devices.begin(), devices.end(),
      [](const DeviceHealth& a, const DeviceHealth& b) { return clock_of(a) < clock_of(b); });
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostDevices, devices.size()); ++i) {
    const std::string line = page.style.cut_end(line_of(devices[i]), kColumns - kTitle.size());
    out += std::string(i == 0 ? kTitle : kIndent) + page.style.paint(colour_of(devices[i]), line) +
           "\n";
  }
  if (devices.size() > kMostDevices)
    out += fmt::format("{}{} more in --format json\n", kIndent, devices.size() - kMostDevices);
  return out;
}

}  // namespace stepscope::text_sections
