// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/report/wording/gate.hpp"
#include "core/support/duration.hpp"
#include "reports/text/grid.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

using text_sections::wrapped;

Colour colour_of_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return Colour::green;
    case Outcome::regression:
      return Colour::red;
    case Outcome::inconclusive:
      return Colour::yellow;
    case Outcome::not_judged:
      break;
  }
  return Colour::dim;
}

std::string headline(const GateVerdict& verdict, const Style& style) {
  std::string title(gate_title(verdict));
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return wrapped(style.paint(colour_of_outcome(verdict.outcome), title) + "  ",
                 gate_summary(verdict), style, Colour::plain);
}

std::string metrics_table(const GateVerdict& verdict, const Style& style) {
  if (verdict.metrics.empty()) return "";
  Grid table({Align::left, Align::right, Align::right, Align::right, Align::left, Align::right,
              Align::left});
  table.head({"Metric, a step", "Baseline", "Candidate", "Change", "Range", "Allowed", "Verdict"});
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::not_judged) continue;
    const bool has_baseline = metric.budget.empty();
    table.row({{metric.name},
               {has_baseline ? format_value(metric.kind, metric.baseline) : ""},
               {format_value(metric.kind, metric.candidate)},
               {format_change(metric)},
               {format_bounds(metric), Colour::dim},
               {format_allowed(metric)},
               {std::string(name_of(metric.outcome)), colour_of_outcome(metric.outcome)}});
  }
  const std::string note = note_on_changes(verdict);
  return "\n" + table.render(style) + (note.empty() ? "" : wrapped("  ", note, style, Colour::dim));
}

// Lines that bring little beside the first are left out; JSON has them.
bool matters(const MetricCause& cause, const MetricResult& metric) {
  constexpr double kLeast = 0.1;
  const auto amount = [&](const MetricCause& c) {
    if (metric.kind == MetricKind::time) return c.ns_per_step;
    return metric.kind == MetricKind::bytes ? c.bytes_per_step : c.calls_per_step;
  };
  return amount(cause) >= kLeast * amount(metric.causes.front());
}

std::string reasons(const GateVerdict& verdict, const Style& style) {
  std::string out;
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::pass || metric.outcome == Outcome::not_judged) continue;
    out += "\n" + wrapped("  ", metric_sentence(metric), style, Colour::plain);
    for (const MetricCause& cause : metric.causes)
      if (matters(cause, metric))
        out += wrapped("    from ", cause_sentence(cause), style, Colour::dim);
  }
  return out;
}

// Metrics of one reason stand together.
std::string not_judged(const GateVerdict& verdict, const Style& style) {
  std::string out;
  for (const auto& [reason, names] : gate_reasons(verdict, Outcome::not_judged))
    out += wrapped("Not judged: ", fmt::format("{}: {}", names, reason), style, Colour::dim);
  return out.empty() ? "" : "\n" + out;
}

std::string side(const char* name, const std::vector<GateRun>& runs, const Style& style) {
  std::string out;
  for (const GateRun& run : runs) {
    std::string line = fmt::format("{}, {} step{} of {}", run.path, run.steps,
                                   run.steps == 1 ? "" : "s", format_duration(run.step_ns));
    if (!run.device.empty()) line += ", " + run.device;
    if (run.clock_mhz) line += fmt::format(" at {:.0f} MHz", *run.clock_mhz);
    if (!run.not_used.empty()) line += "; not used: " + run.not_used;
    out += wrapped(fmt::format("  {:<10}", out.empty() ? name : ""), line, style,
                   run.not_used.empty() ? Colour::plain : Colour::yellow);
  }
  return out;
}

std::string counts_alone(const GateVerdict& verdict, const Style& style) {
  const std::string text = counts_alone_text(verdict);
  return text.empty() ? "" : "\n" + wrapped("  ", text, style, Colour::plain);
}

std::string to_be_known(const GateVerdict& verdict, const Style& style) {
  std::string out;
  for (const std::string& warning : verdict.warnings)
    out += wrapped("  ", warning, style, Colour::plain);
  return out.empty() ? "" : "\nTo be known (A is the baseline, B the candidate)\n" + out;
}

}  // namespace

std::string text_gate(const GateVerdict& verdict, const Style& style) {
  return headline(verdict, style) + metrics_table(verdict, style) + reasons(verdict, style) +
         not_judged(verdict, style) + counts_alone(verdict, style) + "\nRuns\n" +
         side("baseline", verdict.baseline, style) + side("candidate", verdict.candidate, style) +
         to_be_known(verdict, style);
}

}  // namespace stepscope
