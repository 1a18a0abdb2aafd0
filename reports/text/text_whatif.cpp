// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/findings.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

using text_sections::wrapped;

constexpr std::size_t kFixPlaceColumns = 44;

std::string what_if_head(const WhatIf& whatif, const Style& style) {
  std::string out = fmt::format("{} a step{}{}device busy {}{}{} of {} steps replayed\n",
                                style.paint(Colour::bold, format_duration(whatif.step_ns)),
                                whatif.is_plain_step ? " without the profiler" : "", style.dot(),
                                format_duration(whatif.busy_ns), style.dot(), whatif.steps_replayed,
                                whatif.steps_counted);
  out += fmt::format("The unchanged steps, replayed, give {} where {} was measured: {:.1f} % off\n",
                     format_duration(whatif.check.replayed_ns_per_step),
                     format_duration(whatif.check.measured_ns_per_step), 100 * whatif.check.error);
  if (!whatif.abstained.empty())
    out += wrapped(style.paint(Colour::red, "NOT RELIABLE") + "  ", whatif.abstained, style,
                   Colour::plain);
  return out + "\n";
}

// "hotspot (x0.5)": what --fix takes, and how much of it.
std::string names_of(const WhatIfRow& row) {
  std::string out = row.finding;
  for (const Fix& fix : row.repair) {
    if (!row.finding.empty()) break;
    const std::string name = fix.finding.empty() ? std::string(name_of(fix.kind)) : fix.finding;
    if (out.find(name) == std::string::npos) out += (out.empty() ? "" : " + ") + name;
  }
  return row.how_much.empty() ? out : fmt::format("{} ({})", out, row.how_much);
}

std::string place_of(const WhatIfRow& row, const Style& style) {
  if (!row.file.empty()) {
    const std::string more =
        row.other_lines == 0 ? "" : fmt::format(" and {} more", row.other_lines);
    const std::string at = place_text({row.file, row.line, row.line_kind, row.function, 0});
    return style.cut_end(at, kFixPlaceColumns - more.size()) + more;
  }
  if (!row.phase.empty()) return style.cut_end("phase " + row.phase, kFixPlaceColumns);
  const FixScope& scope = row.repair.front().scope;
  if (scope.cause) return "cause " + std::string(name_of(*scope.cause));
  return "the whole step";
}

void add_row(Grid& table, const std::string& name, const std::string& place,
             const Forecast& forecast, double from_ns, const TimeUnit& unit) {
  const double gain = from_ns > 0 ? 1 - forecast.ns_per_step / from_ns : 0;
  const bool none = std::abs(gain) < kNoGain;
  table.row({{name, none ? Colour::dim : Colour::plain},
             {place, none ? Colour::dim : Colour::plain},
             {format_time(forecast.ns_per_step, unit)},
             {fmt::format("{} to {}", format_time(forecast.low_ns_per_step, unit),
                          format_time(forecast.high_ns_per_step, unit)),
              Colour::dim},
             {none ? std::string("no gain") : fmt::format("{:+.1f} %", -100 * gain),
              none       ? Colour::dim
              : gain > 0 ? Colour::green
                         : Colour::red},
             {format_time(forecast.ceiling_ns_per_step, unit), Colour::dim}});
}

std::string fixes_table(const WhatIf& whatif, const Style& style) {
  const TimeUnit unit = unit_for_step(whatif.step_ns);
  Grid table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
  const bool is_path = whatif.kind == WhatIfKind::path;
  table.head({is_path ? "Then" : "Fix", "Where", fmt::format("Step, {}", unit.name), "90 % of it",
              is_path ? "In all" : "Change", "At best"});
  for (const WhatIfRow& row : whatif.rows)
    add_row(table, names_of(row), place_of(row, style), row.forecast, whatif.step_ns, unit);
  if (whatif.together) add_row(table, "all of these", "", *whatif.together, whatif.step_ns, unit);
  return table.render(style);
}

void collect(const Forecast& forecast, const WhatIf& whatif, std::vector<std::string>& out) {
  for (const std::string& sentence : forecast.assumptions) {
    const bool is_note =
        std::find(whatif.notes.begin(), whatif.notes.end(), sentence) != whatif.notes.end();
    if (!is_note && std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  }
}

std::string assumptions(const WhatIf& whatif, const Style& style) {
  std::vector<std::string> all;
  for (const WhatIfRow& row : whatif.rows) collect(row.forecast, whatif, all);
  if (whatif.together) collect(*whatif.together, whatif, all);
  std::string out;
  for (const std::string& sentence : all)
    out += wrapped(out.empty() ? "\nAssumed: " : "         ", sentence, style, Colour::dim);
  const std::size_t before = out.size();
  for (const std::string& note : whatif.notes)
    out += wrapped(out.size() == before ? "\nNote: " : "      ", note, style, Colour::dim);
  return out;
}

}  // namespace

std::string text_whatif(const WhatIf& whatif, const Style& style) {
  std::string out = what_if_head(whatif, style);
  if (whatif.rows.empty()) {
    out += whatif.kind == WhatIfKind::path
               ? "No fix makes the step shorter.\n"
               : "No fix applies: no waits, copies, input or many launches to change.\n";
    return out + assumptions(whatif, style);
  }
  return out + fixes_table(whatif, style) + assumptions(whatif, style);
}

}  // namespace stepscope
