// SPDX-License-Identifier: Apache-2.0
// Where the step goes, by cause, and the same in a line for each device.
#include <fmt/format.h>

#include "core/report/wording/tables.hpp"
#include "reports/text/colours.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/table.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kBar = 24;
constexpr std::size_t kMostCauses = 9;
constexpr double kLeastCauseShare = 0.002;

// Rows worth a line of their own; the unknown is never hidden among the small ones.
bool is_shown(const Page& page, const PartSum& part, std::size_t rank) {
  const double share = page.per_step(part.ns_total) / page.wall_ns;
  return (rank < kMostCauses && share >= kLeastCauseShare) ||
         (is_unexplained(part.cause) && share >= 0.01);
}

void add_row(Table& table, const Page& page, const PartSum& part) {
  const Colour colour = colour_of(part.cause);
  const double share = page.per_step(part.ns_total) / page.wall_ns;
  table.row({{std::string(name_of(part.cause)), colour},
             {page.style.bar(share, kBar), colour},
             {page.time(part.ns_total)},
             {page.share(part.ns_total)},
             {cause_meaning(page, part.cause), Colour::dim}});
}

void add_sums(Table& table, const Page& page, std::int64_t hidden_ns, std::size_t hidden) {
  if (hidden > 0) {
    table.row({{fmt::format("{} smaller", hidden), Colour::dim},
               {},
               {page.time(hidden_ns)},
               {page.share(hidden_ns)}});
  }
  const std::int64_t wall = page.summary.partition.wall_ns_total;
  table.row({{"= wall time", Colour::bold},
             {},
             {page.time(wall), Colour::bold},
             {page.share(wall), Colour::bold}});
}

}  // namespace

std::string partition(const Page& page) {
  const PartitionSummary& p = page.summary.partition;
  if (p.parts.empty()) return "";
  Table table({Align::left, Align::left, Align::right, Align::right, Align::left});
  table.head({page.has_steps ? "Where the step goes" : "Where the time goes",
              std::string(kBar, ' '), page.time_title(), "share", ""});
  std::int64_t hidden_ns = 0;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < p.parts.size(); ++i) {
    if (is_shown(page, p.parts[i], i)) {
      add_row(table, page, p.parts[i]);
    } else {
      hidden_ns += p.parts[i].ns_total;
      ++hidden;
    }
  }
  add_sums(table, page, hidden_ns, hidden);
  return table.render(page.style);
}

std::string devices(const Page& page) {
  if (page.summary.devices.empty() || page.wall_ns <= 0) return "";
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::left});
  table.head({"Devices", std::string(kBar, ' '), "busy " + page.time_title(), "busy",
              "waits for host", "largest cause"});
  for (const PartitionSummary& d : page.summary.devices) {
    const double busy = page.per_step(d.device_busy_ns_total) / page.wall_ns;
    const std::string largest = d.parts.empty() ? "" : std::string(name_of(d.parts.front().cause));
    table.row({{fmt::format("GPU {}", d.device.value_or(0))},
               {page.style.bar(busy, kBar), Colour::green},
               {page.time(d.device_busy_ns_total)},
               {page.share(d.device_busy_ns_total)},
               {page.share(d.host_wait_ns_total)},
               {largest}});
  }
  return table.render(page.style);
}

}  // namespace stepscope::text_sections
