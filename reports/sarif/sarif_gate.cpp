// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif/sarif_gate.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/wording/gate.hpp"
#include "reports/wording/source_path.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

std::string rule_of(const MetricResult& metric) {
  return "regression/" + metric.name;
}

Json text_json(const std::string& text) {
  return {{"text", text}};
}

Json rule_json(const MetricResult& metric) {
  return {{"id", rule_of(metric)},
          {"shortDescription", text_json(metric.name + " is a regression")},
          {"fullDescription",
           text_json(fmt::format("{} of a training step rose against the baseline or its budget, "
                                 "beyond what noise makes.",
                                 metric.name))},
          {"defaultConfiguration", {{"level", "error"}}}};
}

Json location_json(const MetricCause& cause, std::string_view root) {
  Json location = {{"artifactLocation", {{"uri", uri_of(path_below(cause.file, root))}}}};
  if (cause.line > 0) location["region"] = {{"startLine", cause.line}};
  return {{"physicalLocation", location}};
}

// The rule and the place, not the numbers: the same regression stays the same result.
std::string fingerprint(const MetricResult& metric, const MetricCause& cause,
                        std::string_view root) {
  return fmt::format("{}|{}|{}|{}", metric.name, path_below(cause.file, root), cause.function,
                     cause.operation);
}

Json result_json(const MetricResult& metric, const MetricCause& cause, std::size_t rule,
                 std::string_view root) {
  return {{"ruleId", rule_of(metric)},
          {"ruleIndex", rule},
          {"level", "error"},
          {"message", text_json(metric_sentence(metric) + ". From " + cause_sentence(cause))},
          {"locations", Json::array({location_json(cause, root)})},
          {"partialFingerprints", {{"stepscopeCause/v1", fingerprint(metric, cause, root)}}}};
}

Json notification_json(const char* level, const std::string& text) {
  return {{"level", level}, {"message", text_json(text)}};
}

Json notifications_json(const GateVerdict& verdict) {
  Json out = Json::array();
  for (const std::string& why : verdict.why_not) out.push_back(notification_json("error", why));
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::inconclusive)
      out.push_back(notification_json("warning", metric_sentence(metric)));
    if (metric.outcome == Outcome::regression && located_cause(metric) == nullptr)
      out.push_back(notification_json("error", metric_sentence(metric)));
  }
  return out;
}

}  // namespace

std::string sarif_gate(const GateVerdict& verdict, std::string_view root) {
  Json rules = Json::array();
  Json results = Json::array();
  for (const MetricResult& metric : verdict.metrics) {
    const MetricCause* cause = located_cause(metric);
    if (metric.outcome != Outcome::regression || cause == nullptr) continue;
    results.push_back(result_json(metric, *cause, rules.size(), root));
    rules.push_back(rule_json(metric));
  }
  const Json driver = {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}, {"rules", rules}};
  const Json invocation = {{"executionSuccessful", true},
                           {"toolExecutionNotifications", notifications_json(verdict)}};
  const Json run = {{"tool", {{"driver", driver}}},
                    {"invocations", Json::array({invocation})},
                    {"columnKind", "unicodeCodePoints"},
                    {"results", results}};
  const Json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stepscope
