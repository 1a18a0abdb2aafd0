// SPDX-License-Identifier: Apache-2.0
// The source lines that own the most, each with its causes and, where the file is at hand, with the
// lines around it.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/report/wording/line_groups.hpp"
#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/tables.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"
#include "reports/html/source_excerpt.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostLines = 40;
constexpr std::size_t kOpenLines = 3;

Markup place(const Report& report, const LineRow& row) {
  Markup out = element(
      "code", text(fmt::format("{}:{}", shown_file(row.file, report.summary.run), row.line)));
  const std::string direction = direction_text(row.direction);
  if (row.function.empty())
    return direction.empty() ? out : out + element("small", text(direction));
  const char* how = row.kind == SiteKind::call ? "in" : "somewhere in";
  return out + Markup(" ") +
         element("small", text(fmt::format("{} {}{}", how, row.function, direction)));
}

Markup source(const Report& report, const LineRow& row) {
  if (!report.options.with_source) return {};
  const SourceExcerpt excerpt = source_excerpt(row.file, row.line);
  Markup lines;
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const std::size_t number = excerpt.first_line + i;
    const bool is_it = number == row.line;
    lines += element("span", {{"class", is_it ? "it" : ""}},
                     element("i", text(fmt::format("{}{:>5} ", is_it ? ">" : " ", number))) +
                         text(excerpt.lines[i])) +
             Markup("\n");
  }
  return lines.empty() ? lines : element("pre", lines);
}

Markup causes(const Report& report, const LineGroup& group) {
  Markup items;
  for (const LineRow* row : group.rows) {
    items +=
        element("li", cause_label(row->cause) +
                          text(fmt::format(" {} {}, {}", report.time(row->ns_total),
                                           report.unit.name, cause_meaning(report, row->cause))));
  }
  return element("ul", {{"class", "causes"}}, items);
}

Markup line(const Report& report, const LineGroup& group, double largest, bool is_open) {
  const LineRow& first = *group.rows.front();
  const double percent = largest > 0 ? 100 * report.share_of_wall(group.ns_total) / largest : 0;
  const Markup bar =
      element("span", {{"class", "linebar"}},
              element("i",
                      {{"class", fmt::format("f-{}", name_of(family_of(first.cause)))},
                       {"style", fmt::format("width:{:.1f}%", percent)}},
                      {}));
  const Markup numbers =
      element("span", {{"class", "n"}},
              text(fmt::format("{} {}", report.time(group.ns_total), report.time_title()))) +
      element("span", {{"class", "n share"}}, text(report.share(group.ns_total)));
  const Markup head = element(
      "summary", element("span", {{"class", "place"}}, place(report, first)) + bar + numbers);
  return element("details",
                 {{"data-line", fmt::format("{}:{}", first.file, first.line)},
                  {"data-ns", std::to_string(group.ns_total)},
                  {"open", is_open ? "open" : ""}},
                 head + causes(report, group) + source(report, first)) +
         Markup("\n");
}

// "34 smaller lines 1.20 ms/step, 3.1 %"
Markup rest(const Report& report, std::string_view what, std::int64_t ns) {
  return element("p", {{"class", "rest"}, {"data-ns", std::to_string(ns)}},
                 text(fmt::format("{}: {} {}, {}", what, report.time(ns), report.time_title(),
                                  report.share(ns)))) +
         Markup("\n");
}

std::int64_t sum_of(const std::vector<LineGroup>& groups, std::size_t from) {
  return std::accumulate(groups.begin() + static_cast<std::ptrdiff_t>(from), groups.end(),
                         std::int64_t{0},
                         [](std::int64_t sum, const LineGroup& g) { return sum + g.ns_total; });
}

}  // namespace

Markup lines(const Report& report) {
  const std::vector<LineGroup> groups = line_groups(report.summary.lines);
  if (groups.empty()) return {};
  const std::size_t most = std::min(kMostLines, groups.size());
  const double largest = report.share_of_wall(groups.front().ns_total);
  Markup content;
  for (std::size_t i = 0; i < most; ++i)
    content += line(report, groups[i], largest, i < kOpenLines);
  if (groups.size() > most)
    content +=
        rest(report, fmt::format("{} smaller lines", groups.size() - most), sum_of(groups, most));
  const std::int64_t without = report.summary.partition.wall_ns_total - sum_of(groups, 0);
  if (without > 0) content += rest(report, "time that no line is known for", without);
  return section(report.id("lines"), "Source lines", content);
}

}  // namespace stepscope::html
