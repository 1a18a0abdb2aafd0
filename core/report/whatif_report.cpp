// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/documents.hpp"
#include "core/report/wording/findings.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

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

// Where further lines must be named beside a long place, its function gives way.
std::string place_of(const WhatIfRow& row) {
  constexpr std::size_t kRoom = 43;
  if (!row.file.empty()) {
    const std::string more =
        row.other_lines == 0 ? "" : fmt::format(" and {} more", row.other_lines);
    const std::string at = place_text({row.file, row.line, row.line_kind, row.function, 0});
    if (more.empty() || at.size() + more.size() <= kRoom) return at + more;
    return place_text({row.file, row.line, row.line_kind, "", 0}) + more;
  }
  if (!row.phase.empty()) return "phase " + row.phase;
  const FixScope& scope = row.repair.front().scope;
  if (scope.direction) return "what is " + std::string(name_of(*scope.direction));
  if (scope.cause) return "cause " + std::string(name_of(*scope.cause));
  return "the whole step";
}

Row forecast_row(const std::string& name, const std::string& place, const Forecast& forecast,
                 double from_ns, const TimeUnit& unit) {
  const double gain = from_ns > 0 ? 1 - forecast.ns_per_step / from_ns : 0;
  const bool none = std::abs(gain) < kNoGain;
  Row out;
  out.cells = {Words{name},
               Words{place},
               forecast.ns_per_step,
               Words{fmt::format("{} to {}", format_time(forecast.low_ns_per_step, unit),
                                 format_time(forecast.high_ns_per_step, unit))},
               Words{none ? std::string("no gain") : fmt::format("{:+.1f} %", -100 * gain),
                     none       ? Tone::neutral
                     : gain > 0 ? Tone::good
                                : Tone::bad},
               forecast.ceiling_ns_per_step};
  return out;
}

Table fixes_table(const WhatIf& whatif) {
  const bool is_path = whatif.kind == WhatIfKind::path;
  Table out;
  out.id = "fixes";
  out.title = out.brief = out.tab = is_path ? "Then" : "Fix";
  out.unit = unit_for_step(whatif.step_ns);
  out.columns = {{"fix", out.title, Kind::words},
                 {"where", "Where", Kind::name},
                 {"ns_per_step", fmt::format("Step, {}", out.unit.name), Kind::time},
                 {"range", "90 % of it", Kind::value},
                 {"change", is_path ? "In all" : "Change", Kind::value},
                 {"ceiling_ns_per_step", "At best", Kind::time}};
  for (const WhatIfRow& row : whatif.rows)
    out.rows.push_back(
        forecast_row(names_of(row), place_of(row), row.forecast, whatif.step_ns, out.unit));
  if (whatif.together)
    out.rows.push_back(
        forecast_row("all of these", "", *whatif.together, whatif.step_ns, out.unit));
  return out;
}

void collect(const Forecast& forecast, const std::vector<std::string>& notes,
             std::vector<std::string>& out) {
  for (const std::string& sentence : forecast.assumptions) {
    const bool is_note = std::find(notes.begin(), notes.end(), sentence) != notes.end();
    if (!is_note && std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  }
}

}  // namespace

WhatIfReport whatif_report(const WhatIf& whatif) {
  WhatIfReport out;
  out.facts = {format_duration(whatif.step_ns) + " a step" +
                   (whatif.is_plain_step ? " without the profiler" : ""),
               "device busy " + format_duration(whatif.busy_ns),
               fmt::format("{} of {} steps replayed", whatif.steps_replayed, whatif.steps_counted)};
  out.check =
      fmt::format("The unchanged steps, replayed, give {} where {} was measured: {:.1f} % off",
                  format_duration(whatif.check.replayed_ns_per_step),
                  format_duration(whatif.check.measured_ns_per_step), 100 * whatif.check.error);
  out.not_reliable = whatif.abstained;
  out.fixes = fixes_table(whatif);
  if (whatif.rows.empty())
    out.no_fixes = whatif.kind == WhatIfKind::path
                       ? "No fix makes the step shorter."
                       : "No fix applies: no waits, copies, input or many launches to change.";
  for (const WhatIfRow& row : whatif.rows) collect(row.forecast, whatif.notes, out.assumptions);
  if (whatif.together) collect(*whatif.together, whatif.notes, out.assumptions);
  out.notes = whatif.notes;
  return out;
}

}  // namespace stepscope::report
