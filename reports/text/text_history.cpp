// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <map>

#include "core/report/wording/gate.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

using text_sections::wrapped;

std::string verdict_line(const MetricHistory& metric, const Style& style) {
  const bool rose = metric.outcome == Outcome::regression;
  const char* title = rose                              ? "REGRESSION"
                      : metric.outcome == Outcome::pass ? "PASS"
                                                        : "INCONCLUSIVE";
  const Colour colour = rose                              ? Colour::red
                        : metric.outcome == Outcome::pass ? Colour::green
                                                          : Colour::yellow;
  return wrapped(style.paint(colour, title) + "  ", metric.metric.name + ": " + metric.why, style,
                 Colour::plain);
}

std::string changes_table(const MetricHistory& metric, const Style& style) {
  if (metric.changes.empty()) return "  no change of level\n";
  Grid table({Align::left, Align::right, Align::right, Align::right, Align::right});
  table.head({"Changed with", "Before", "After", "Change", "Chance"});
  for (const LevelChange& change : metric.changes) {
    const std::string ratio =
        change.before > 0 ? fmt::format("{:+.1f} %", 100 * (change.after / change.before - 1)) : "";
    table.row({{metric.points[change.at].name},
               {format_metric(metric.metric.kind, change.before)},
               {format_metric(metric.metric.kind, change.after)},
               {ratio},
               {fmt::format("{:.4f}", change.chance), Colour::dim}});
  }
  return table.render(style);
}

std::string left_out(const MetricHistory& metric, const Style& style) {
  std::map<std::string, std::string> names_of_reason;
  for (const HistoryPoint& point : metric.points) {
    if (point.left_out.empty()) continue;
    std::string& names = names_of_reason[point.left_out];
    names += (names.empty() ? "" : ", ") + point.name;
  }
  std::string out;
  for (const auto& [reason, names] : names_of_reason)
    out += wrapped("  left out: ", names + ": " + reason, style, Colour::dim);
  return out;
}

}  // namespace

std::string text_history(const History& history, const Style& style) {
  std::string out;
  for (const MetricHistory& metric : history.metrics) {
    if (!out.empty()) out += "\n";
    out += verdict_line(metric, style) + changes_table(metric, style) + left_out(metric, style);
  }
  return out;
}

}  // namespace stepscope
