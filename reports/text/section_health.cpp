// SPDX-License-Identifier: Apache-2.0
// How the devices were: clocks, why they were low, power, temperature, memory. Nothing where
// nothing was sampled. One device takes a paragraph; of several, those with the lowest clocks a
// line each.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/health.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostDevices = 3;
constexpr std::string_view kTitle = "Device  ", kIndent = "        ";

Colour health_colour(const DeviceHealth& health) {
  return has_trouble(health) ? Colour::yellow : Colour::plain;
}

std::string paragraph(const Page& page, const DeviceHealth& health) {
  std::string out;
  for (const std::string& sentence : health_sentences(health)) {
    const std::string_view begin = out.empty() ? kTitle : kIndent;
    out += wrapped(begin, sentence, page.style, health_colour(health));
  }
  return out;
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
    const std::string line = page.style.cut_end(health_line(devices[i]), kColumns - kTitle.size());
    out += std::string(i == 0 ? kTitle : kIndent) +
           page.style.paint(health_colour(devices[i]), line) + "\n";
  }
  if (devices.size() > kMostDevices)
    out += fmt::format("{}{} more in --format json\n", kIndent, devices.size() - kMostDevices);
  return out;
}

}  // namespace stepscope::text_sections
