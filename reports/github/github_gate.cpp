// SPDX-License-Identifier: Apache-2.0
#include "reports/github/github_commands.hpp"

#include <fmt/format.h>

#include "core/report/wording/gate.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/github/workflow_command.hpp"

namespace stepscope {
namespace {

constexpr const char* kGateTool = "stepscope gate";

github::Annotation annotation_of(const MetricResult& metric, std::string_view root) {
  const bool failed = metric.outcome == Outcome::regression;
  github::Annotation out{
      .name = metric.name,
      .title = fmt::format("{}: {}", failed ? "Regression" : "Inconclusive", metric.name),
      .message = metric_sentence(metric)};
  for (const MetricCause& cause : metric.causes) out.message += "\n" + cause_sentence(cause);
  if (const MetricCause* cause = located_cause(metric)) {
    out.file = path_below(cause->file, root);
    out.line = cause->line;
  }
  return out;
}

std::string of_outcome(const GateVerdict& verdict, Outcome wanted, const char* level,
                       std::size_t most, std::string_view root) {
  std::vector<github::Annotation> all;
  for (const MetricResult& metric : verdict.metrics)
    if (metric.outcome == wanted) all.push_back(annotation_of(metric, root));
  return github::commands(level, all, most, kGateTool);
}

}  // namespace

std::string github_annotations(const GateVerdict& verdict, std::string_view root) {
  std::string out;
  if (!verdict.comparable)
    out +=
        fmt::format("::error title=Not comparable::{}\n",
                    github::escaped_message(fmt::format("{}", fmt::join(verdict.why_not, "\n"))));
  const std::size_t errors = out.empty() ? github::kMostShown : github::kMostShown - 1;
  out += of_outcome(verdict, Outcome::regression, "error", errors, root) +
         of_outcome(verdict, Outcome::inconclusive, "warning", github::kMostShown, root);
  if (!out.empty()) return out;
  return fmt::format("::notice title={}::{}: {}\n", kGateTool, gate_title(verdict),
                     github::escaped_message(gate_summary(verdict)));
}

}  // namespace stepscope
