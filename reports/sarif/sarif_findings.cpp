// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif/sarif_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/report/wording/findings.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/sarif/sarif_log.hpp"

namespace stepscope {
namespace {

using namespace sarif;

constexpr std::size_t kMostRelated = 10;

const char* level_of(Severity severity) {
  if (severity == Severity::high) return "error";
  return severity == Severity::medium ? "warning" : "note";
}

std::string rule_id(const Finding& finding) {
  return "finding/" + finding.id;
}

Json finding_rule_json(const Finding& finding, std::span<const FindingRule> rules) {
  Json out = {{"id", rule_id(finding)}};
  const FindingRule* rule = rule_with(finding.id, rules);
  if (rule == nullptr) return out;
  out["shortDescription"] = text_json(rule->title);
  out["fullDescription"] = text_json(first_paragraph(*rule));
  out["help"] = {{"text", rule->text}, {"markdown", rule->text}};
  return out;
}

std::string message_of(const Finding& finding, const StepScale& scale) {
  std::string out =
      fmt::format("{}. With a fix: {} ({}). Do: {}", finding.title, gain_text(finding, scale),
                  format_share(gain_share(finding, scale)), finding.fix);
  if (!finding.shows_as.empty()) out += ". Note: " + finding.shows_as;
  return out;
}

// The rule and the place, not the numbers: the same finding stays the same result.
std::string finding_fingerprint(const Finding& finding, std::string_view root) {
  const FindingPlace& place = finding.places.front();
  return fmt::format("{}|{}|{}|{}", finding.id, path_below(place.file, root), place.function,
                     finding.phase);
}

Json related_json(const Finding& finding, std::string_view root) {
  Json out = Json::array();
  const std::size_t end = std::min(finding.places.size(), kMostRelated + 1);
  for (std::size_t i = 1; i < end; ++i) {
    const FindingPlace& place = finding.places[i];
    Json location = location_json(place.file, place.line, root);
    location["message"] = text_json(place_text(place));
    out.push_back(std::move(location));
  }
  return out;
}

Json finding_result_json(const Finding& finding, const StepScale& scale, std::size_t rule,
                         std::string_view root) {
  const FindingPlace& place = finding.places.front();
  Json out = {{"ruleId", rule_id(finding)},
              {"ruleIndex", rule},
              {"level", level_of(finding.severity)},
              {"rank", std::clamp(100 * gain_share(finding, scale), 0.0, 100.0)},
              {"message", text_json(message_of(finding, scale))},
              {"locations", Json::array({location_json(place.file, place.line, root)})}};
  if (finding.places.size() > 1) out["relatedLocations"] = related_json(finding, root);
  out["partialFingerprints"] = {{"stepscopeFinding/v1", finding_fingerprint(finding, root)}};
  return out;
}

// The sentences of a run that belong to no line.
class Notes {
 public:
  explicit Notes(std::string run) : run_(std::move(run)) {}

  void add(const char* level, const std::string& text) {
    if (!text.empty()) list_.push_back(notification_json(level, run_ + ": " + text));
  }
  Json take() { return std::move(list_); }

 private:
  std::string run_;
  Json list_ = Json::array();
};

Json notes_of(const Summary& summary, const StepScale& scale) {
  Notes notes(summary.run.path);
  const Findings& all = *summary.findings;
  notes.add("warning", all.caution);
  notes.add("warning", all.no_forecast);
  for (const Finding& finding : all.found)
    if (finding.places.empty())
      notes.add(level_of(finding.severity), finding.id + ": " + message_of(finding, scale));
  for (const ReasonText& reason : by_reason(all.abstained))
    notes.add("note", fmt::format("not judged: {}: {}", reason.ids, reason.reason));
  return notes.take();
}

}  // namespace

std::string sarif_findings(const std::vector<Summary>& summaries,
                           std::span<const FindingRule> rules, std::string_view root) {
  Json results = Json::array();
  Json listed = Json::array();
  Json notes = Json::array();
  std::map<std::string, std::size_t> numbers;
  for (const Summary& summary : summaries) {
    if (!summary.findings) continue;
    const StepScale scale = scale_of(summary);
    for (const Finding& finding : summary.findings->found) {
      if (finding.places.empty()) continue;
      const auto [number, is_new] = numbers.try_emplace(finding.id, numbers.size());
      if (is_new) listed.push_back(finding_rule_json(finding, rules));
      results.push_back(finding_result_json(finding, scale, number->second, root));
    }
    for (Json& note : notes_of(summary, scale)) notes.push_back(std::move(note));
  }
  return log_text(listed, results, notes);
}

}  // namespace stepscope
