// SPDX-License-Identifier: Apache-2.0
#include "reports/github/github_commands.hpp"

#include <fmt/format.h>

#include "core/report/wording/findings.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/github/workflow_command.hpp"

namespace stepscope {
namespace {

constexpr const char* kReportTool = "stepscope report";

github::Annotation finding_annotation(const Finding& finding, const StepScale& scale,
                                      std::string_view root) {
  github::Annotation out{.name = finding.id,
                         .title = fmt::format("{}: {}", finding.id, gain_text(finding, scale)),
                         .message = fmt::format("{}\nDo: {}", finding.title, finding.fix)};
  if (!finding.code_hint.empty()) out.message += "\n" + finding.code_hint;
  if (finding.places.empty()) return out;
  out.file = path_below(finding.places.front().file, root);
  out.line = finding.places.front().line;
  return out;
}

std::string of_severity(const std::vector<Summary>& summaries, Severity severity, const char* level,
                        std::size_t most, std::string_view root) {
  std::vector<github::Annotation> all;
  for (const Summary& summary : summaries) {
    const StepScale scale = scale_of(summary);
    if (!summary.findings) continue;
    for (const Finding& finding : summary.findings->found)
      if (finding.severity == severity) all.push_back(finding_annotation(finding, scale, root));
  }
  return github::commands(level, all, most, kReportTool);
}

// One notice a run: what was found, or that nothing was.
std::string notice_of(const Summary& summary) {
  std::string said = "nobody looked for findings";
  if (summary.findings) {
    const Findings& all = *summary.findings;
    said = all.found.empty()
               ? "nothing found that is worth 1 % of the step"
               : fmt::format("{} finding{}", all.found.size(), all.found.size() == 1 ? "" : "s");
    if (!all.caution.empty()) said += "; " + all.caution;
    if (!all.no_forecast.empty()) said += "; " + all.no_forecast;
  }
  return fmt::format("::notice title={}::{}\n", kReportTool,
                     github::escaped_message(summary.run.path + ": " + said));
}

}  // namespace

std::string github_findings(const std::vector<Summary>& summaries, std::string_view root) {
  constexpr std::size_t kMostRuns = 3;  // share of the ten notices that is for runs
  std::string out =
      of_severity(summaries, Severity::high, "error", github::kMostShown, root) +
      of_severity(summaries, Severity::medium, "warning", github::kMostShown, root) +
      of_severity(summaries, Severity::info, "notice", github::kMostShown - kMostRuns, root);
  for (std::size_t i = 0; i < summaries.size() && i < kMostRuns; ++i)
    out += notice_of(summaries[i]);
  return out;
}

}  // namespace stepscope
