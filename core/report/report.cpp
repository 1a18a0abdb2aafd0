// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/trust.hpp"
#include "core/support/short_file.hpp"

namespace stepscope::report {
namespace {

FindingText::At at_text(const FindingPlace& place, const StepScale& scale) {
  FindingText::At out;
  out.line = fmt::format("{}:{}", shown_file(place.file, scale.summary.run), place.line);
  if (!place.function.empty())
    out.function = (place.kind == SiteKind::call ? "in " : "somewhere in ") + place.function;
  out.time =
      fmt::format("{} {}", format_time(place.caused_ns_per_step, scale.unit), scale.unit.name);
  return out;
}

// Empty for a finding of a time that is no sum of occurrences.
std::string how_often_text(double count_per_step) {
  return count_per_step > 0 ? format_count(count_per_step) + " a step" : "";
}

// A rule that found something at some lines and cleared others is known by its reasons alone.
std::vector<std::string> only_clear(const Findings& all, const std::vector<RuleText>& cleared) {
  std::vector<std::string> out;
  for (const RuleText& rule : cleared) {
    const auto is_one = [&rule](const Finding& one) { return one.id == rule.id; };
    if (std::none_of(all.found.begin(), all.found.end(), is_one) &&
        std::none_of(all.no_gain.begin(), all.no_gain.end(), is_one))
      out.push_back(rule.id);
  }
  return out;
}

bool is_certain(const NotFound& one) {
  return one.reason.find("not certain") == std::string::npos;
}

// The waits that a reader sees in the program: the pattern is there and costs nothing.
std::vector<Note> doubts(const std::vector<NotFound>& cleared) {
  std::vector<Note> out;
  for (const NotFound& one : cleared)
    if (one.id == "host_sync" && one.reason.find(':') != std::string::npos)
      out.push_back({one.reason, Tone::neutral, is_certain(one) ? "no cost" : "unclear", {}, {}});
  return out;
}

std::vector<DeviceText> device_texts(const Summary& summary) {
  std::vector<DeviceText> out;
  for (const DeviceHealth& health : summary.device_health)
    out.push_back({health.device, health_line(health), health_sentences(health),
                   has_trouble(health) ? Tone::caution : Tone::neutral,
                   health.sm_clock_mhz ? health.sm_clock_mhz->median : 0});
  return out;
}

}  // namespace

FindingText finding_text(const Finding& finding, const StepScale& scale) {
  FindingText out{.id = finding.id,
                  .severity = finding.severity,
                  .machine = finding.is_of_machine() ? machine_text(finding) : "",
                  .where = where_text(finding),
                  .gain = gain_text(finding, scale),
                  .gain_share = gain_share(finding, scale),
                  .title = finding.title,
                  .shows_as = finding.shows_as,
                  .todo = finding.fix,
                  .code = finding.code_hint,
                  .how_often = how_often_text(finding.count_per_step),
                  .wrong_if = finding.falsified_by,
                  .certainty = certainty_text(finding.certainty)};
  for (const FindingPlace& place : finding.places) out.places.push_back(at_text(place, scale));
  if (finding.forecast)
    out.assumes = fmt::format("{}", fmt::join(finding.forecast->assumptions, "; "));
  for (const EvidenceEvent& event : finding.events)
    out.events.emplace_back(event.id, event_text(event));
  return out;
}

// What the program's own lines do is host_gap's to judge: where it cannot, nothing found says little.
std::string none_text(const StepScale& scale, const Findings& all) {
  std::string out = "nothing found that is worth 1 % of the step";
  const bool judged = std::none_of(all.abstained.begin(), all.abstained.end(),
                                   [](const NotFound& rule) { return rule.id == "host_gap"; });
  const std::vector<LineRow>& lines = scale.summary.lines;
  if (judged || lines.empty()) return out;
  const LineRow& most = lines.front();
  return fmt::format(
      "{}, but what the program's own lines do could not be judged: {} of the step is at {}:{}",
      out,
      format_share(
          static_cast<double>(most.ns_total) /
          static_cast<double>(std::max<std::int64_t>(1, scale.summary.partition.wall_ns_total))),
      short_file(most.file), most.line);
}

std::optional<FindingsText> findings_text(const StepScale& scale) {
  if (!scale.summary.findings) return std::nullopt;
  const Findings& all = *scale.summary.findings;
  FindingsText out;
  for (const Finding& finding : all.found) out.found.push_back(finding_text(finding, scale));
  if (all.found.empty()) out.none = none_text(scale, all);
  if (!all.found.empty()) {
    out.caution = all.caution;
    out.no_forecast = all.no_forecast;
  }
  for (const Finding& finding : all.no_gain) out.no_gain.push_back(no_gain_text(finding));
  out.cleared = by_rule(all.cleared);
  out.only_clear = only_clear(all, out.cleared);
  out.doubts = doubts(all.cleared);
  out.not_judged = by_reason(all.abstained);
  return out;
}

std::vector<std::string> Report::ran_under_title() const {
  return {ran.begin() + (ran.empty() ? 0 : 1), ran.end()};
}

Report report_of(const Summary& summary, KernelGrouping by) {
  const StepScale scale = scale_of(summary);
  Report out{.scale = scale,
             .alerts = alerts(scale),
             .ran = what_ran(summary.run),
             .where = where_it_ran(summary.run),
             .label = verdict_label(scale),
             .step_time = step_time_facts(scale),
             .step_time_sentence = step_time_text(scale),
             .verdict = verdict_notes(scale),
             .tables = report_tables(scale, by),
             .findings = std::nullopt,
             .devices = device_texts(summary),
             .long_steps = long_steps_texts(scale),
             .steps = step_notes(scale),
             .facts = trust_facts(scale),
             .trust = trust_notes(scale)};
  if (summary.findings && !says_nothing(*summary.findings)) out.findings = findings_text(scale);
  return out;
}

}  // namespace stepscope::report
