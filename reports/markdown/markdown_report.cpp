// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/report.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

using report::FindingText;
using report::Report;

// GitHub shows a quotation that begins so as a warning.
std::string warning(std::string_view words) {
  return fmt::format("> [!WARNING]\n> {}\n\n", escaped(words));
}

std::string facts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " · ") + escaped(part);
  return out;
}

std::string verdict_section(const Report& report) {
  std::string out = paragraph("## " + code(report.title()));
  for (const report::Note& alert : report.alerts) out += warning(alert.with_label());
  std::string head = bold(escaped(report.label.text));
  if (!report.step_time_sentence.empty()) head += " " + bold(escaped(report.step_time_sentence));
  out += paragraph(head);
  for (const report::Note& note : report.verdict) out += paragraph(escaped(note.text));
  return out + paragraph(facts(report.ran_under_title())) + paragraph(facts(report.where));
}

// In the item: as deep as its text.
std::string indented_code(const std::string& lines) {
  std::string out = "\n    ```\n    ";
  for (const char c : lines) out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out + "\n    ```\n\n";
}

std::string todo_lines(const FindingText& finding) {
  return "  - " + escaped("do: " + finding.todo) + "\n" +
         (finding.code.empty() ? "" : indented_code(finding.code));
}

std::string finding_item(const FindingText& finding) {
  if (!finding.machine.empty())
    return fmt::format("- ⚠ {}\n", escaped(finding.machine)) + todo_lines(finding);
  std::string out = fmt::format(
      "- {} {} {}: {} ({})\n", bold(std::string(name_of(finding.severity))), code(finding.id),
      escaped(finding.where), bold(escaped(finding.gain)), format_share(finding.gain_share));
  for (const std::string& words : {finding.title, finding.shows_as})
    if (!words.empty()) out += "  - " + escaped(words) + "\n";
  return out + todo_lines(finding);
}

// Items under a title, which stands only above some.
std::string under(std::string_view title, const std::string& items) {
  return items.empty() ? "" : fmt::format("- {}:\n{}", title, items);
}

std::string findings_section(const Report& report) {
  if (!report.findings) return "";
  const report::FindingsText& all = *report.findings;
  std::string out = paragraph("### What to do");
  if (all.found.empty()) out += "- " + escaped(all.none) + "\n";
  if (!all.caution.empty()) out += "- ⚠ " + escaped(all.caution) + "\n";
  for (const FindingText& finding : all.found) out += finding_item(finding);
  if (!all.no_forecast.empty()) out += "- " + escaped(all.no_forecast) + "\n";
  std::string no_gain, cleared, not_judged;
  for (const std::string& sentence : all.no_gain) no_gain += "  - " + escaped(sentence) + "\n";
  for (const RuleText& rule : all.cleared)
    cleared += "  - " + code(rule.id) + ": " + escaped(rule.reasons) + "\n";
  for (const ReasonText& reason : all.not_judged)
    not_judged += "  - " + escaped(reason.ids + ": " + reason.reason) + "\n";
  return out + under(kNoGainHeading, no_gain) + under("looked at and cleared", cleared) +
         under("not judged", not_judged) + "\n";
}

std::string health_section(const Report& report) {
  std::string out;
  for (const report::DeviceText& device : report.devices)
    for (const std::string& sentence : device.sentences)
      out += fmt::format("- GPU {}: {}{}\n", device.device,
                         device.tone == Tone::neutral ? "" : "⚠ ", escaped(sentence));
  return report.devices.empty() ? "" : paragraph("### Device health") + out + "\n";
}

std::string trust_section(const Report& report) {
  std::string out;
  const auto item = [&out](const std::string& words) { out += "- " + escaped(words) + "\n"; };
  const auto add = [&item](const std::vector<report::Note>& notes) {
    for (const report::Note& note : notes)
      item((note.tone == Tone::neutral ? "" : "⚠ ") + note.with_items());
  };
  for (const std::string& sentence : report.long_steps) item(sentence);
  add(report.steps);
  for (const TrustFact& fact : report.facts)
    item((!fact.measured ? "" : fact.good ? "✓ " : "⚠ ") + fact.text);
  add(report.trust);
  return paragraph("### Steps, and how far to trust this") + out + "\n";
}

std::string one_report(const Summary& summary) {
  const Report report = report::report_of(summary);
  std::string out = verdict_section(report);
  const auto add = [&out](const std::vector<report::Table>& some) {
    for (const report::Table& table : some) out += table_section(table);
  };
  add(report.tables.ledger);
  out += findings_section(report);
  add(report.tables.details);
  out += health_section(report);
  add(report.tables.loops);
  out += trust_section(report);
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
