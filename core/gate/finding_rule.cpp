// SPDX-License-Identifier: Apache-2.0
#include "core/gate/finding_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

using Sides = std::vector<const Summary*>;

const Finding* finding_of(const Summary& run, const std::string& id, Severity least) {
  for (const Finding& finding : run.findings->found)
    if (finding.id == id && finding.severity >= least) return &finding;
  return nullptr;
}

MetricResult about_findings(Outcome outcome, std::string why) {
  MetricResult out{.name = "new_findings", .kind = MetricKind::count, .outcome = outcome};
  out.why = std::move(why);
  return out;
}

MetricResult new_finding(const Finding& finding) {
  MetricResult out{.name = "finding:" + finding.id,
                   .kind = MetricKind::count,
                   .outcome = Outcome::regression,
                   .why = "new: " + finding.title,
                   .candidate = finding.count_per_step};
  MetricCause cause;
  cause.phase = finding.phase;
  cause.operation = finding.id;
  cause.kind = DeltaKind::added;
  cause.ns_per_step = finding.caused_ns_per_step;
  cause.calls_per_step = finding.count_per_step;
  if (!finding.places.empty()) {
    cause.file = finding.places.front().file;
    cause.line = finding.places.front().line;
    cause.function = finding.places.front().function;
  }
  out.causes.push_back(std::move(cause));
  return out;
}

std::string without_findings(const Sides& runs) {
  for (const Summary* run : runs)
    if (!run->findings)
      return fmt::format(
          "{} does not say what was found: give its trace, or a report that this version wrote",
          run->run.path);
  return "";
}

}  // namespace

std::vector<MetricResult> judge_new_findings(Severity least, const Sides& baseline,
                                             const Sides& candidate) {
  if (baseline.empty() || candidate.empty())
    return {about_findings(Outcome::inconclusive,
                           fmt::format("no run of the {} can be used for it",
                                       baseline.empty() ? "baseline" : "candidate"))};
  for (const Sides* side : {&baseline, &candidate})
    if (const std::string why = without_findings(*side); !why.empty())
      return {about_findings(Outcome::inconclusive, why)};
  std::vector<MetricResult> out;
  for (const Finding& finding : candidate.front()->findings->found) {
    const bool everywhere = std::all_of(
        candidate.begin(), candidate.end(),
        [&](const Summary* run) { return finding_of(*run, finding.id, least) != nullptr; });
    const bool known = std::any_of(baseline.begin(), baseline.end(), [&](const Summary* run) {
      return finding_of(*run, finding.id, Severity::info) != nullptr;
    });
    const bool told = std::any_of(out.begin(), out.end(), [&](const MetricResult& result) {
      return result.name == "finding:" + finding.id;
    });
    if (everywhere && !known && !told && finding.severity >= least)
      out.push_back(new_finding(finding));
  }
  if (out.empty())
    out.push_back(about_findings(
        Outcome::pass, fmt::format("no finding of severity {}{} that the baseline does not have",
                                   name_of(least), least == Severity::high ? "" : " or higher")));
  return out;
}

}  // namespace stepscope
