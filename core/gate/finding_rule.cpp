// SPDX-License-Identifier: Apache-2.0
// Whether the candidate has findings that the baseline does not have.
//
// A finding is new where every run of the candidate has it with the severity asked for or a higher
// one, and no run of the baseline has it at that place (file's name and function) with such a
// severity, or with nearly the same share of the step. The new ones of a rule are a regression, at
// their lines. A rule that could not judge the candidate is inconclusive, and so is a finding of
// one that could not judge the baseline: what nobody looked for does not pass.
#include "core/gate/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace stepscope {
namespace {

using Sides = std::vector<const Summary*>;

// A finding whose share grew by less than this is the same, on whichever side of a severity's
// border it lies: that it grew is the times' matter.
constexpr double kGrown = 1.2;

// Two checkouts of one repository have other folders.
std::string name_of_place(const Finding& finding) {
  if (finding.places.empty()) return "";
  const FindingPlace& place = finding.places.front();
  return std::filesystem::path(place.file).filename().string() + "|" + place.function;
}

bool has_place(const Finding& finding, const std::string& place) {
  if (finding.places.empty()) return place.empty();
  return std::any_of(finding.places.begin(), finding.places.end(), [&](const FindingPlace& p) {
    return std::filesystem::path(p.file).filename().string() + "|" + p.function == place;
  });
}

template <class Condition>
bool has(const Summary& run, const Finding& wanted, Condition condition) {
  const std::string place = name_of_place(wanted);
  return std::any_of(
      run.findings->found.begin(), run.findings->found.end(), [&](const Finding& finding) {
        return finding.id == wanted.id && has_place(finding, place) && condition(finding);
      });
}

bool is_known(const Sides& baseline, const Finding& wanted, Severity least) {
  return std::any_of(baseline.begin(), baseline.end(), [&](const Summary* run) {
    return has(*run, wanted, [&](const Finding& finding) {
      return finding.severity >= least || wanted.share < kGrown * finding.share;
    });
  });
}

bool is_everywhere(const Sides& candidate, const Finding& wanted, Severity least) {
  return std::all_of(candidate.begin(), candidate.end(), [&](const Summary* run) {
    return has(*run, wanted, [&](const Finding& finding) { return finding.severity >= least; });
  });
}

MetricResult about_findings(Outcome outcome, std::string why) {
  MetricResult out{.name = "new_findings", .kind = MetricKind::count, .outcome = outcome};
  out.why = std::move(why);
  return out;
}

MetricCause cause_of(const Finding& finding) {
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
  return cause;
}

MetricResult new_finding(const Finding& finding) {
  MetricResult out{.name = "finding:" + finding.id,
                   .kind = MetricKind::count,
                   .outcome = Outcome::regression,
                   .why = "new: " + finding.title,
                   .candidate = finding.count_per_step};
  out.causes.push_back(cause_of(finding));
  return out;
}

// A rule's second finding, at another place, is reported with its first.
void add_finding(const Finding& finding, std::vector<MetricResult>& out) {
  const auto reported = std::find_if(out.begin(), out.end(), [&](const MetricResult& result) {
    return result.name == "finding:" + finding.id;
  });
  if (reported == out.end()) {
    out.push_back(new_finding(finding));
  } else {
    reported->causes.push_back(cause_of(finding));
  }
}

// Returns the ids of the rules that could not be judged in at least one run.
std::set<std::string> abstained_rules(const Sides& runs, const IsIgnored& is_ignored) {
  std::set<std::string> out;
  for (const Summary* run : runs)
    for (const NotFound& rule : run->findings->abstained)
      if (!is_ignored(rule.id)) out.insert(rule.id);
  return out;
}

std::string reason_of(const Sides& runs, const std::string& id) {
  for (const Summary* run : runs)
    for (const NotFound& rule : run->findings->abstained)
      if (rule.id == id) return rule.reason;
  return "";
}

MetricResult without_verdict(const std::string& id, const Sides& runs, const char* side) {
  MetricResult out{
      .name = "finding:" + id, .kind = MetricKind::count, .outcome = Outcome::inconclusive};
  out.why = fmt::format("the {} does not tell: {}", side, reason_of(runs, id));
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
                                             const Sides& candidate, const IsIgnored& is_ignored) {
  if (baseline.empty() || candidate.empty())
    return {about_findings(Outcome::inconclusive,
                           fmt::format("no run of the {} can be used for it",
                                       baseline.empty() ? "baseline" : "candidate"))};
  for (const Sides* side : {&baseline, &candidate})
    if (const std::string why = without_findings(*side); !why.empty())
      return {about_findings(Outcome::inconclusive, why)};
  const std::set<std::string> not_in_baseline = abstained_rules(baseline, is_ignored);
  const std::set<std::string> not_in_candidate = abstained_rules(candidate, is_ignored);
  std::vector<MetricResult> out;
  for (const Finding& finding : candidate.front()->findings->found) {
    const bool is_new = finding.severity >= least && !is_ignored(finding.id) &&
                        is_everywhere(candidate, finding, least) &&
                        !is_known(baseline, finding, least);
    if (!is_new) continue;
    if (not_in_baseline.contains(finding.id)) {
      out.push_back(without_verdict(finding.id, baseline, "baseline"));
    } else {
      add_finding(finding, out);
    }
  }
  for (const std::string& id : not_in_candidate)
    out.push_back(without_verdict(id, candidate, "candidate"));
  if (out.empty())
    out.push_back(about_findings(
        Outcome::pass, fmt::format("no finding of severity {}{} that the baseline does not have",
                                   name_of(least), least == Severity::high ? "" : " or higher")));
  return out;
}

}  // namespace stepscope
