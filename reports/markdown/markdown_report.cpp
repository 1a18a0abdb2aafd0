// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/notes.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/findings.hpp"
#include "core/report/wording/health.hpp"
#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/step_scale.hpp"
#include "core/report/wording/trust.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

// GitHub shows a quotation that begins so as a warning.
std::string warning(std::string_view words) {
  return fmt::format("> [!WARNING]\n> {}\n\n", escaped(words));
}

std::string facts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " · ") + escaped(part);
  return out;
}

std::string verdict_section(const StepScale& scale) {
  const Summary& summary = scale.summary;
  std::vector<std::string> what = what_ran(summary.run);
  if (!what.empty()) what.erase(what.begin());  // the path is the title
  std::string out = paragraph("## " + code(summary.run.path));
  for (const report::Note& alert : report::alerts(scale)) out += warning(alert.with_label());
  std::string head = bold(escaped(verdict_label(scale).text));
  const std::string time = step_time_text(scale);
  if (!time.empty()) head += " " + bold(escaped(time));
  out += paragraph(head);
  for (const report::Note& note : report::verdict_notes(scale))
    out += paragraph(escaped(note.text));
  return out + paragraph(facts(what)) + paragraph(facts(where_it_ran(summary.run)));
}

// In the item: as deep as its text.
std::string indented_code(const std::string& lines) {
  std::string out = "\n    ```\n    ";
  for (const char c : lines) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out + "\n    ```\n\n";
}

std::string finding_item(const StepScale& scale, const Finding& finding) {
  std::string out = fmt::format(
      "- {} {} {}: {} ({})\n", bold(std::string(name_of(finding.severity))), code(finding.id),
      escaped(where_text(finding)), bold(escaped(gain_text(finding, scale))),
      format_share(gain_share(finding, scale)));
  const auto under = [&out](const std::string& words) {
    if (!words.empty()) out += "  - " + escaped(words) + "\n";
  };
  under(finding.title);
  under(finding.shows_as);
  under("do: " + finding.fix);
  if (!finding.code_hint.empty()) out += indented_code(finding.code_hint);
  return out;
}

std::string machine_item(const Finding& finding) {
  return fmt::format("- ⚠ {}\n  - {}\n", escaped(machine_text(finding)),
                     escaped("do: " + finding.fix)) +
         (finding.code_hint.empty() ? "" : indented_code(finding.code_hint));
}

std::string reasons_item(std::string_view title, const std::vector<NotFound>& list) {
  std::string out;
  for (const RuleText& rule : by_rule(list))
    out += "  - " + code(rule.id) + ": " + escaped(rule.reasons) + "\n";
  return out.empty() ? out : fmt::format("- {}\n{}", title, out);
}

std::string not_judged_item(const std::vector<NotFound>& list) {
  std::string out;
  for (const ReasonText& reason : by_reason(list))
    out += "  - " + escaped(reason.ids + ": " + reason.reason) + "\n";
  return out.empty() ? out : "- not judged:\n" + out;
}

std::string findings_section(const StepScale& scale) {
  if (!scale.summary.findings || says_nothing(*scale.summary.findings)) return "";
  const Findings& all = *scale.summary.findings;
  std::string out = paragraph("### What to do");
  if (all.found.empty()) out += "- Nothing was found that is worth 1 % of the step.\n";
  if (!all.found.empty() && !all.caution.empty()) out += "- ⚠ " + escaped(all.caution) + "\n";
  for (const Finding& finding : all.found)
    out += finding.is_of_machine() ? machine_item(finding) : finding_item(scale, finding);
  if (!all.found.empty() && !all.no_forecast.empty()) out += "- " + escaped(all.no_forecast) + "\n";
  std::string no_gain;
  for (const Finding& finding : all.no_gain)
    no_gain += "  - " + escaped(no_gain_text(finding)) + "\n";
  if (!no_gain.empty()) out += fmt::format("- {}:\n{}", kNoGainHeading, no_gain);
  return out + reasons_item("looked at and cleared:", all.cleared) +
         not_judged_item(all.abstained) + "\n";
}

std::string health_section(const StepScale& scale) {
  if (scale.summary.device_health.empty()) return "";
  std::string out;
  for (const DeviceHealth& device : scale.summary.device_health) {
    for (const std::string& sentence : health_sentences(device))
      out += fmt::format("- GPU {}: {}{}\n", device.device, has_trouble(device) ? "⚠ " : "",
                         escaped(sentence));
  }
  return paragraph("### Device health") + out + "\n";
}

std::string trust_section(const StepScale& scale) {
  std::string out;
  const auto item = [&out](const std::string& words) { out += "- " + escaped(words) + "\n"; };
  const auto add = [&item](const std::vector<report::Note>& notes) {
    for (const report::Note& note : notes)
      item((note.tone == Tone::neutral ? "" : "⚠ ") + note.with_items());
  };
  for (const std::string& sentence : long_steps_texts(scale)) item(sentence);
  add(report::step_notes(scale));
  for (const TrustFact& fact : trust_facts(scale))
    item((!fact.measured ? "" : fact.good ? "✓ " : "⚠ ") + fact.text);
  add(report::trust_notes(scale));
  return paragraph("### Steps, and how far to trust this") + out + "\n";
}

std::string one_report(const Summary& summary) {
  const StepScale scale = scale_of(summary);
  const report::Tables tables = report::report_tables(scale);
  std::string out = verdict_section(scale);
  const auto add = [&out](const std::vector<report::Table>& some) {
    for (const report::Table& table : some) out += table_section(table);
  };
  add(tables.ledger);
  out += findings_section(scale);
  add(tables.details);
  out += health_section(scale);
  add(tables.loops);
  out += trust_section(scale);
  out.pop_back();  // one line end at the end
  return out;
}

std::string write_report(const std::vector<Summary>& summaries) {
  std::string out;
  for (const Summary& summary : summaries)
    out += (out.empty() ? "" : "\n---\n\n") + one_report(summary);
  return out;
}

}  // namespace
}  // namespace stepscope::markdown

namespace stepscope {

std::string markdown_report(const std::vector<Summary>& summaries) {
  return markdown::write_report(summaries);
}

}  // namespace stepscope
