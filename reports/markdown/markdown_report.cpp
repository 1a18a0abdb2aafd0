// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/ending.hpp"
#include "core/report/wording/findings.hpp"
#include "core/report/wording/health.hpp"
#include "core/report/wording/job.hpp"
#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/sections.hpp"
#include "core/report/wording/tables.hpp"
#include "core/report/wording/trust.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

// GitHub shows a quotation that begins so as a warning.
std::string warning(std::string_view words) {
  return fmt::format("> [!WARNING]\n> {}\n\n", escaped(words));
}

std::string bold(const std::string& markdown) {
  return "**" + markdown + "**";
}

std::string facts(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : " · ") + escaped(part);
  return out;
}

std::string alerts(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::string out;
  for (const std::string& sentence : trust.broken_invariants) out += warning("Broken: " + sentence);
  if (!trust.nothing_recorded.empty())
    return out + warning("Nothing recorded: " + trust.nothing_recorded);
  for (const std::string& sentence : trust.over_budget) out += warning("Unexplained: " + sentence);
  return out;
}

std::string verdict_section(const StepScale& scale) {
  const Summary& summary = scale.summary;
  std::vector<std::string> what = what_ran(summary.run);
  if (!what.empty()) what.erase(what.begin());  // the path is the title
  std::string out = paragraph("## " + code(summary.run.path)) + alerts(scale);
  std::string head = bold(escaped(verdict_label(scale).text));
  const std::string time = step_time_text(scale);
  if (!time.empty()) head += " " + bold(escaped(time));
  out += paragraph(head) + paragraph(escaped(ending_text(summary)));
  out += paragraph(escaped(summary.partition.why_bound));
  out += paragraph(escaped(busy_machine_text(scale)));
  out += paragraph(escaped(trimmed_text(scale))) + paragraph(escaped(long_share_text(scale)));
  if (summary.throughput) out += paragraph(escaped(throughput_text(scale)));
  out += paragraph(escaped(summary.counting));
  return out + paragraph(facts(what)) + paragraph(facts(where_it_ran(summary.run)));
}

std::string partition_section(const StepScale& scale) {
  const PartitionSummary& p = scale.summary.partition;
  if (p.parts.empty()) return "";
  Rows rows;
  for (const PartSum& part : p.parts) {
    rows.push_back({code(name_of(part.cause)), scale.time(part.ns_total),
                    scale.share(part.ns_total), escaped(cause_meaning(scale, part.cause)),
                    format_exact(part.ns_total)});
  }
  rows.push_back({bold("= wall time"), bold(scale.time(p.wall_ns_total)),
                  bold(scale.share(p.wall_ns_total)), "", bold(format_exact(p.wall_ns_total))});
  return paragraph(scale.has_steps ? "### Where the step goes" : "### Where the time goes") +
         table({left("cause"), {scale.time_title()}, {"share"}, left("what it is"), {"ns in all"}},
               rows);
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

std::string sections_section(const StepScale& scale) {
  const std::vector<SectionLine> lines = section_lines(scale.summary);
  if (lines.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const SectionLine& line : lines)
    rows.push_back({line.name, line.what, line.time, line.share, line.steps, line.mean,
                    line.choice == "shown here" ? line.choice : code(line.choice)});
  std::string out = paragraph("### Sections " + escaped(sections_title(scale.summary))) +
                    table({{"", MarkdownAlign::left},
                           {"loop", MarkdownAlign::left},
                           {"time"},
                           {"share"},
                           {"steps"},
                           {"a step"},
                           {"", MarkdownAlign::left}},
                          rows);
  for (const std::string& sentence : section_texts(scale.summary))
    out += "- " + escaped(sentence) + "\n";
  return out + "\n";
}

std::string ranks_section(const StepScale& scale) {
  const std::vector<RankLine> lines = rank_lines(scale);
  if (lines.empty()) return "";
  std::vector<MarkdownColumn> columns = {left(scale.time_title())};
  for (const std::string& title : kRankTitles) columns.push_back({title});
  columns.push_back(left(""));
  Rows rows;
  for (const RankLine& line : lines)
    rows.push_back({"rank " + line.rank, line.step, line.work, line.transfer, line.waits,
                    line.costs, escaped(line.note)});
  std::string out =
      paragraph("### Ranks: " + escaped(job_title(*scale.summary.job))) + table(columns, rows);
  for (const std::string& sentence : job_texts(scale)) out += "- " + escaped(sentence) + "\n";
  return out + "\n";
}

std::string trust_section(const StepScale& scale) {
  const Trust& trust = scale.summary.trust;
  std::string out = "- " + escaped(steps_text(scale)) + "\n";
  const auto item = [&out](const std::string& words) { out += "- " + escaped(words) + "\n"; };
  for (const std::string& sentence : long_steps_texts(scale)) item(sentence);
  if (const std::string words = warm_up_text(scale); !words.empty()) item("warm-up: " + words);
  if (const std::string words = compilation_text(scale); !words.empty()) item(words);
  for (const std::string& sentence : scale.summary.steps.notes) item(sentence);
  for (const TrustFact& fact : trust_facts(scale))
    item((!fact.measured ? "" : fact.good ? "✓ " : "⚠ ") + fact.text);
  const std::string without_line = without_line_text(scale);
  if (!without_line.empty()) item(without_line);
  if (trust.recorder) item(recorder_text(*trust.recorder));
  for (const std::string& rival : trust.rivals) item("⚠ another tracer was active: " + rival);
  if (!trust.abstained.empty()) item("not recorded, so never blamed: " + abstained_text(trust));
  for (const std::string& sentence : trust.notes) item(sentence);
  return paragraph("### Steps, and how far to trust this") + out + "\n";
}

std::string one_report(const Summary& summary) {
  const StepScale scale = scale_of(summary);
  std::string out;
  for (const auto section : {verdict_section, partition_section, ranks_section, findings_section,
                             phase_section, line_section, kernel_section, host_op_section,
                             transfer_section, health_section, sections_section, trust_section}) {
    out += section(scale);
  }
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
