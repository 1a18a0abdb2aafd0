// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_findings.hpp"

#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using FindingJson = nlohmann::ordered_json;

FindingJson place_json(const FindingPlace& place) {
  FindingJson out = {{"file", place.file},
                     {"line", place.line},
                     {"line_kind", place.kind == SiteKind::call ? "call" : "function"}};
  if (!place.function.empty()) out["function"] = place.function;
  out["caused_ns_per_step"] = place.caused_ns_per_step;
  return out;
}

FindingJson forecast_json(const std::optional<Forecast>& forecast) {
  if (!forecast) return nullptr;
  return {{"ns_per_step", forecast->ns_per_step},
          {"low", forecast->low_ns_per_step},
          {"high", forecast->high_ns_per_step},
          {"ceiling_ns_per_step", forecast->ceiling_ns_per_step},
          {"assumptions", forecast->assumptions}};
}

FindingJson event_json(const EvidenceEvent& event) {
  FindingJson out = {{"id", event.id}, {"name", event.name}, {"ns", event.ns}};
  if (event.step) out["step"] = *event.step;
  return out;
}

FindingJson finding_json(const Finding& finding) {
  FindingJson out = {{"id", finding.id},
                     {"severity", name_of(finding.severity)},
                     {"title", finding.title},
                     {"phase", finding.phase}};
  if (!finding.places.empty()) {
    out["file"] = finding.places.front().file;
    out["line"] = finding.places.front().line;
  }
  out["places"] = FindingJson::array();
  for (const FindingPlace& place : finding.places) out["places"].push_back(place_json(place));
  out["count_per_step"] = finding.count_per_step;
  out["caused_ns_per_step"] = finding.caused_ns_per_step;
  out["ceiling_ns_per_step"] = finding.ceiling_ns_per_step;
  out["share"] = finding.share;
  if (finding.link_rate) out["link_rate"] = *finding.link_rate;
  if (!finding.shows_as.empty()) out["shows_as"] = finding.shows_as;
  out["forecast"] = forecast_json(finding.forecast);
  out["fix"] = finding.fix;
  if (!finding.code_hint.empty()) out["code_hint"] = finding.code_hint;
  out["falsified_by"] = finding.falsified_by;
  if (!finding.no_gain.empty()) out["no_gain"] = finding.no_gain;
  out["certainty"] = name_of(finding.certainty);
  out["evidence"] = finding.evidence;
  if (!finding.events.empty()) {
    out["events"] = FindingJson::array();
    for (const EvidenceEvent& event : finding.events) out["events"].push_back(event_json(event));
  }
  return out;
}

void append_reasons(const std::vector<NotFound>& list, FindingJson& out) {
  for (const NotFound& one : list) out.push_back({{"id", one.id}, {"reason", one.reason}});
}

}  // namespace

nlohmann::ordered_json findings_json(const Summary& summary) {
  FindingJson out = FindingJson::array();
  if (!summary.findings) return out;
  for (const Finding& finding : summary.findings->found) out.push_back(finding_json(finding));
  return out;
}

nlohmann::ordered_json no_gain_json(const Summary& summary) {
  FindingJson out = FindingJson::array();
  if (!summary.findings) return out;
  for (const Finding& finding : summary.findings->no_gain) out.push_back(finding_json(finding));
  return out;
}

nlohmann::ordered_json cleared_json(const Summary& summary) {
  FindingJson out = FindingJson::array();
  if (summary.findings) append_reasons(summary.findings->cleared, out);
  return out;
}

nlohmann::ordered_json abstained_json(const Summary& summary) {
  FindingJson out = FindingJson::array();
  for (const Abstention& cause : summary.trust.abstained)
    out.push_back({{"id", cause.id}, {"reason", cause.reason}});
  if (summary.findings) append_reasons(summary.findings->abstained, out);
  return out;
}

namespace json_rows {

Json finding(const Finding& finding) {
  return finding_json(finding);
}

}  // namespace json_rows
}  // namespace stepscope
