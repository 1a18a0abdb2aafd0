// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "core/report/documents.hpp"
#include "core/report/wording/gate.hpp"
#include "core/support/duration.hpp"

namespace stepscope::report {
namespace {

// A cause that brings less than this part of what the first one brings is minor.
constexpr double kLeastPartOfFirst = 0.1;

Table metrics_table(const GateVerdict& verdict) {
  Table out;
  out.id = "metrics";
  out.title = out.brief = out.tab = "Metric, a step";
  out.columns = {{"metric", out.title, Kind::id},         {"baseline", "Baseline", Kind::value},
                 {"candidate", "Candidate", Kind::value}, {"change", "Change", Kind::value},
                 {"range", "Range", Kind::aside},         {"allowed", "Allowed", Kind::value},
                 {"verdict", "Verdict", Kind::verdict}};
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::not_judged) continue;
    const bool has_baseline = metric.budget.empty();
    Row row;
    row.cells = {Words{metric.name},
                 Words{has_baseline ? format_value(metric.kind, metric.baseline) : ""},
                 Words{format_value(metric.kind, metric.candidate)},
                 Words{format_change(metric)},
                 Words{format_bounds(metric)},
                 Words{format_allowed(metric)},
                 Words{std::string(name_of(metric.outcome)), tone_of(metric.outcome)}};
    out.rows.push_back(std::move(row));
  }
  return out;
}

double amount_of(MetricKind kind, const MetricCause& cause) {
  if (kind == MetricKind::time) return cause.ns_per_step;
  return kind == MetricKind::bytes ? cause.bytes_per_step : cause.calls_per_step;
}

GateReport::Reason reason_of(const MetricResult& metric) {
  GateReport::Reason out{metric_sentence(metric), {}};
  for (const MetricCause& cause : metric.causes) {
    const double first = amount_of(metric.kind, metric.causes.front());
    const bool matters = amount_of(metric.kind, cause) >= kLeastPartOfFirst * first;
    Note note{cause_sentence(cause)};
    if (!matters) note.weight = Weight::minor;
    out.causes.push_back(std::move(note));
  }
  return out;
}

std::vector<Note> run_notes(const std::vector<GateRun>& runs) {
  std::vector<Note> out;
  for (const GateRun& run : runs) {
    std::string line = fmt::format("{}, {} step{} of {}", run.path, run.steps,
                                   run.steps == 1 ? "" : "s", format_duration(run.step_ns));
    if (!run.device.empty()) line += ", " + run.device;
    if (run.clock_mhz) line += fmt::format(" at {:.0f} MHz", *run.clock_mhz);
    if (!run.not_used.empty()) line += "; not used: " + run.not_used;
    out.push_back({line, run.not_used.empty() ? Tone::neutral : Tone::caution});
  }
  return out;
}

Table changes_table(const MetricHistory& metric) {
  Table out;
  out.id = "changes";
  out.title = out.brief = out.tab = "Changed with";
  out.columns = {{"name", out.title, Kind::id},
                 {"before", "Before", Kind::value},
                 {"after", "After", Kind::value},
                 {"change", "Change", Kind::value},
                 {"chance", "Chance", Kind::value}};
  for (const LevelChange& change : metric.changes) {
    Row row;
    row.cells = {
        Words{metric.points[change.at].name},
        Words{format_metric(metric.metric.kind, change.before)},
        Words{format_metric(metric.metric.kind, change.after)},
        Words{change.before > 0 ? fmt::format("{:+.1f} %", 100 * (change.after / change.before - 1))
                                : ""},
        Words{fmt::format("{:.4f}", change.chance)}};
    out.rows.push_back(std::move(row));
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> left_out(const MetricHistory& metric) {
  std::map<std::string, std::string> names_of_reason;
  for (const HistoryPoint& point : metric.points) {
    if (point.left_out.empty()) continue;
    std::string& names = names_of_reason[point.left_out];
    names += (names.empty() ? "" : ", ") + point.name;
  }
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [reason, names] : names_of_reason) out.emplace_back(names, reason);
  return out;
}

}  // namespace

Tone tone_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return Tone::good;
    case Outcome::regression:
      return Tone::bad;
    case Outcome::inconclusive:
      return Tone::caution;
    case Outcome::not_judged:
      break;
  }
  return Tone::neutral;
}

GateReport gate_report(const GateVerdict& verdict) {
  GateReport out{.tone = tone_of(verdict.outcome),
                 .title = std::string(gate_title(verdict)),
                 .summary = gate_summary(verdict),
                 .metrics = metrics_table(verdict),
                 .note = note_on_changes(verdict),
                 .not_judged = gate_reasons(verdict, Outcome::not_judged),
                 .counts_alone = counts_alone_text(verdict),
                 .baseline = run_notes(verdict.baseline),
                 .candidate = run_notes(verdict.candidate),
                 .warnings = verdict.warnings};
  for (const MetricResult& metric : verdict.metrics)
    if (metric.outcome == Outcome::regression || metric.outcome == Outcome::inconclusive)
      out.reasons.push_back(reason_of(metric));
  return out;
}

std::vector<MetricHistoryReport> history_report(const History& history) {
  std::vector<MetricHistoryReport> out;
  for (const MetricHistory& metric : history.metrics) {
    const char* title = metric.outcome == Outcome::regression ? "Regression"
                        : metric.outcome == Outcome::pass     ? "Pass"
                                                              : "Inconclusive";
    out.push_back(
        {tone_of(metric.outcome == Outcome::not_judged ? Outcome::inconclusive : metric.outcome),
         title, metric.metric.name + ": " + metric.why, changes_table(metric), left_out(metric)});
  }
  return out;
}

}  // namespace stepscope::report
