// SPDX-License-Identifier: Apache-2.0
#include "reports/sarif/sarif_logs.hpp"

#include <fmt/format.h>

#include "core/report/wording/gate.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/sarif/sarif_log.hpp"

namespace stepscope {
namespace {

using namespace sarif;

std::string rule_of(const MetricResult& metric) {
  return "regression/" + metric.name;
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

// A metric with two budgets has one rule. The number of rules where it has none yet.
std::size_t place_of_rule(const Json& rules, const std::string& id) {
  std::size_t place = 0;
  while (place < rules.size() && rules[place]["id"] != id) ++place;
  return place;
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
          {"locations", Json::array({location_json(cause.file, cause.line, root)})},
          {"partialFingerprints", {{"stepscopeCause/v1", fingerprint(metric, cause, root)}}}};
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
    const std::size_t rule = place_of_rule(rules, rule_of(metric));
    if (rule == rules.size()) rules.push_back(rule_json(metric));
    results.push_back(result_json(metric, *cause, rule, root));
  }
  return log_text(rules, results, notifications_json(verdict));
}

}  // namespace stepscope
