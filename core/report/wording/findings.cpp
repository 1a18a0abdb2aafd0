// SPDX-License-Identifier: Apache-2.0
#include "core/report/wording/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "core/support/short_file.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kLongestEventName = 100;

// The step that forecasts and shares are of: without the profiler, where that is known.
double judged_step_ns(const StepScale& scale) {
  const PartitionSummary& p = scale.summary.partition;
  return p.corrected_step_ns ? static_cast<double>(*p.corrected_step_ns) : scale.wall_ns;
}

}  // namespace

std::string place_text(const FindingPlace& place) {
  std::string at = fmt::format("{}:{}", short_file(place.file), place.line);
  if (place.function.empty()) return at;
  return place.kind == SiteKind::call ? fmt::format("{} ({})", at, place.function)
                                      : fmt::format("{} (in {})", at, place.function);
}

std::string where_text(const Finding& finding) {
  if (!finding.places.empty()) return place_text(finding.places.front());
  return finding.phase.empty() ? "" : "phase " + finding.phase;
}

double gain_share(const Finding& finding, const StepScale& scale) {
  const double step = judged_step_ns(scale);
  return step > 0 ? finding.gain_ns_per_step(step) / step : 0;
}

std::string gain_text(const Finding& finding, const StepScale& scale) {
  if (!finding.forecast)
    return fmt::format("up to {} a step", format_duration(finding.ceiling_ns_per_step));
  const auto number = [&scale](double ns) { return format_time(ns, scale.unit); };
  const Forecast& f = *finding.forecast;
  return fmt::format("{} {} becomes {} ({} to {})", number(judged_step_ns(scale)), scale.unit.name,
                     number(f.ns_per_step), number(f.low_ns_per_step), number(f.high_ns_per_step));
}

std::string machine_text(const Finding& finding) {
  return fmt::format(
      "this machine was busy: {}; what follows leaves that "
      "wait out of its costs, though its steps hold it",
      finding.title);
}

std::string no_gain_text(const Finding& finding) {
  const std::string where = where_text(finding);
  return fmt::format("{}{}: {}; no gain, for {}", finding.id, where.empty() ? "" : " at " + where,
                     finding.title, finding.no_gain);
}

std::string event_text(const EvidenceEvent& event) {
  const std::string out =
      fmt::format("{}, {}", shortened(short_kernel_name(event.name), kLongestEventName),
                  format_duration(static_cast<double>(event.ns)));
  return event.step ? out + fmt::format(", in step {}", *event.step) : out;
}

std::string certainty_text(Certainty certainty) {
  switch (certainty) {
    case Certainty::trace_verified:
      return "verified: every link of the argument is in the trace";
    case Certainty::inferred:
      return "inferred: one link of the argument is a rule that holds nearly always";
    case Certainty::assumption:
      break;
  }
  return "assumption: it rests on a number that this trace does not hold";
}

std::vector<RuleText> by_rule(const std::vector<NotFound>& list) {
  std::vector<RuleText> out;
  for (const NotFound& one : list) {
    const auto at = std::find_if(out.begin(), out.end(),
                                 [&one](const RuleText& rule) { return rule.id == one.id; });
    if (at == out.end()) {
      out.push_back({one.id, one.reason});
    } else {
      at->reasons += "; " + one.reason;
    }
  }
  return out;
}

std::vector<ReasonText> by_reason(const std::vector<NotFound>& list) {
  std::vector<ReasonText> out;
  for (const NotFound& one : list) {
    const auto at = std::find_if(out.begin(), out.end(), [&one](const ReasonText& reason) {
      return reason.reason == one.reason;
    });
    if (at == out.end()) {
      out.push_back({one.reason, one.id});
    } else {
      at->ids += ", " + one.id;
    }
  }
  return out;
}

bool says_nothing(const Findings& findings) {
  return findings.found.empty() && findings.no_gain.empty() && findings.cleared.empty();
}

std::string_view first_paragraph(const FindingRule& rule) {
  const std::size_t heading = rule.text.find('\n');
  const std::size_t begin = rule.text.find_first_not_of('\n', heading);
  if (heading == std::string_view::npos || begin == std::string_view::npos) return rule.title;
  return rule.text.substr(begin, rule.text.find("\n\n", begin) - begin);
}

const FindingRule* rule_with(std::string_view id, std::span<const FindingRule> rules) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [id](const FindingRule& rule) { return rule.id == id; });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace stepscope
