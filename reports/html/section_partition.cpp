// SPDX-License-Identifier: Apache-2.0
// Where the step goes, by cause: one bar of all parts, then a row a cause, down to the last
// nanosecond; and the same in a line for each device.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/report/wording/tables.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

std::string part_title(const Report& report, const PartSum& part) {
  return fmt::format("{}: {} {}, {}", name_of(part.cause), report.time(part.ns_total),
                     report.time_title(), report.share(part.ns_total));
}

Markup segment(const Report& report, const PartSum& part) {
  const double percent = 100 * report.share_of_wall(part.ns_total);
  const std::string label =
      percent >= 9 ? fmt::format("{} {:.0f} %", name_of(part.cause), percent) : "";
  return element("span",
                 {{"class", fmt::format("f-{}", name_of(family_of(part.cause)))},
                  {"style", fmt::format("width:{:.3f}%", percent)},
                  {"title", part_title(report, part)}},
                 label.empty() ? Markup() : element("b", text(label)));
}

Markup whole_bar(const Report& report) {
  Markup segments;
  for (const CauseFamily family : kCauseFamilies) {
    for (const PartSum& part : report.summary.partition.parts) {
      if (family_of(part.cause) == family) segments += segment(report, part);
    }
  }
  return element("div", {{"class", "whole"}}, segments) + Markup("\n");
}

Markup legend(const Report& report) {
  Markup items;
  for (const CauseFamily family : kCauseFamilies) {
    const auto& parts = report.summary.partition.parts;
    const bool is_there = std::any_of(parts.begin(), parts.end(), [&](const PartSum& part) {
      return family_of(part.cause) == family;
    });
    if (!is_there) continue;
    const std::string swatch = fmt::format("swatch f-{}", name_of(family));
    items += element("span", element("i", {{"class", swatch}}, {}) + text(meaning_of(family)));
  }
  return element("p", {{"class", "legend"}}, items) + Markup("\n");
}

TableRow part_row(const Report& report, const PartSum& part, double largest) {
  const double share = report.share_of_wall(part.ns_total);
  return row({{"data-cause", std::string(name_of(part.cause))},
              {"data-ns", std::to_string(part.ns_total)}},
             words_cell(cause_label(part.cause)) +
                 bar_cell(largest > 0 ? share / largest : 0, family_of(part.cause)) +
                 number_cell(report.time(part.ns_total), report.per_step(part.ns_total)) +
                 number_cell(report.share(part.ns_total), share) +
                 words_cell(cause_meaning(report, part.cause)) + exact_cell(part.ns_total));
}

TableRow wall_row(const Report& report) {
  const std::int64_t wall = report.summary.partition.wall_ns_total;
  return row({{"class", "sum"}, {"data-wall-ns", std::to_string(wall)}},
             words_cell("= wall time") + words_cell("") +
                 number_cell(report.time(wall), report.per_step(wall)) +
                 number_cell(report.share(wall), 1) + words_cell("the sum of all above") +
                 exact_cell(wall));
}

TableRow device_row(const Report& report, const PartitionSummary& device) {
  const double busy = report.share_of_wall(device.device_busy_ns_total);
  return row({}, words_cell(fmt::format("GPU {}", device.device.value_or(0))) +
                     bar_cell(busy, CauseFamily::device_compute) +
                     number_cell(report.time(device.device_busy_ns_total),
                                 report.per_step(device.device_busy_ns_total)) +
                     number_cell(report.share(device.device_busy_ns_total), busy) +
                     number_cell(report.share(device.host_wait_ns_total),
                                 report.share_of_wall(device.host_wait_ns_total)) +
                     words_cell(device.parts.empty() ? Markup()
                                                     : cause_label(device.parts.front().cause)));
}

}  // namespace

Markup partition(const Report& report) {
  const std::vector<PartSum>& parts = report.summary.partition.parts;
  if (parts.empty()) return {};
  const double largest = report.share_of_wall(parts.front().ns_total);
  TableRows rows;
  for (const PartSum& part : parts) rows.push_back(part_row(report, part, largest));
  const std::vector<Column> columns = {{"Cause", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {report.time_title()},
                                       {"share"},
                                       {"what it is", ColumnKind::words},
                                       {exact_title(report.summary.partition.steps_counted)}};
  return section(report.id("partition"),
                 report.has_steps ? "Where the step goes" : "Where the time goes",
                 whole_bar(report) + legend(report) + table(columns, rows, {wall_row(report)}));
}

Markup devices(const Report& report) {
  if (report.summary.devices.empty()) return {};
  TableRows rows;
  for (const PartitionSummary& device : report.summary.devices)
    rows.push_back(device_row(report, device));
  const std::vector<Column> columns = {{"Device", ColumnKind::words},
                                       {"", ColumnKind::bar},
                                       {"busy " + report.time_title()},
                                       {"busy"},
                                       {"waits for host"},
                                       {"largest cause", ColumnKind::words}};
  return section(report.id("devices"), "Devices", table(columns, rows, {}));
}

}  // namespace stepscope::html
