// SPDX-License-Identifier: Apache-2.0
// How each device was while the steps ran: clocks and why they were low, power, memory.
#include <fmt/format.h>

#include "core/report/wording/health.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {

Markup health(const Report& report) {
  Markup content;
  for (const DeviceHealth& device : report.summary.device_health) {
    content += element("h3", text(fmt::format("GPU {}", device.device)));
    for (const std::string& sentence : health_sentences(device))
      content += has_trouble(device) ? note(Tone::caution, sentence) : element("p", text(sentence));
  }
  return content.empty() ? content : section(report.id("health"), "Device health", content);
}

}  // namespace stepscope::html
