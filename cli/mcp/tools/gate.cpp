// SPDX-License-Identifier: Apache-2.0
// Tool "gate": whether a change is a regression.
#include <fmt/format.h>

#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "core/gate/verdict.hpp"
#include "core/report/wording/gate.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

std::vector<Field> gate_fields() {
  return {{.name = "candidate",
           .type = FieldType::texts,
           .about = "Runs with the change; times need three a side, better five, counts one",
           .required = true},
          {.name = "baseline",
           .type = FieldType::texts,
           .about = "Runs before the change. Without them only the budgets of a policy are judged"},
          {.name = "policy",
           .type = FieldType::object,
           .about = "What is judged: {\"tolerance\": 0.02, \"metrics\": [...], \"budgets\": "
                    "[\"host_syncs <= 0\"], \"new_findings\": \"high\"}; all fields optional. "
                    "Default: all counts, and step_time within 2 %"}};
}

Result<Policy> policy_of(const Arguments& arguments) {
  if (!arguments.has("policy")) return default_policy();
  Json given = arguments.object("policy");
  if (!given.contains("schema")) given["schema"] = "stepscope.policy/1";
  Result<Policy> policy = parse_policy(line_of(given));
  if (!policy) return Error{policy.error().code, "policy: " + policy.error().message};
  return policy;
}

Status check_sides(const Arguments& arguments, const Policy& policy) {
  if (arguments.texts("candidate").empty()) return usage_error("candidate: names no run");
  if (arguments.texts("baseline").empty() && policy.needs_baseline())
    return usage_error(
        "baseline: is missing; without it only the budgets of a policy can be judged");
  for (const char* side : {"baseline", "candidate"}) {
    const auto paths = arguments.texts(side);
    for (const std::string& path : paths)
      if (std::count(paths.begin(), paths.end(), path) > 1)
        return usage_error(fmt::format("{}: {} is given twice; a run counts once", side, path));
  }
  return Done{};
}

Result<std::vector<Summary>> side_of(const ToolCall& call, const char* side, bool find) {
  std::vector<Summary> out;
  for (const std::string& path : call.arguments.texts(side)) {
    const auto run = call.runs.at(path, call.progress);
    if (!run) return run.error();
    out.push_back(find ? (*run)->summary_with_findings() : (*run)->summary());
    out.back().run.path = path;
  }
  return out;
}

Json head_of(const GateVerdict& verdict) {
  Json out = {{"verdict", name_of(verdict.outcome)},
              {"summary", fmt::format("{}: {}", gate_title(verdict), gate_summary(verdict))},
              {"comparable", verdict.comparable},
              {"why_not", verdict.why_not},
              {"warnings", verdict.warnings},
              {"level", verdict.level}};
  if (verdict.further_runs) out["more_runs_needed"] = *verdict.further_runs;
  return out;
}

Json metric_row(MetricResult metric) {
  for (MetricCause& cause : metric.causes)
    cause.operation = shortened(cause.operation, kLongestOperation);
  return json_rows::metric(metric);
}

Result<Json> answer_gate(const ToolCall& call) {
  const auto policy = policy_of(call.arguments);
  if (!policy) return policy.error();
  const Status checked = check_sides(call.arguments, *policy);
  if (!checked) return checked.error();
  const bool find = policy->new_findings.has_value();
  const auto baseline = side_of(call, "baseline", find);
  if (!baseline) return baseline.error();
  const auto candidate = side_of(call, "candidate", find);
  if (!candidate) return candidate.error();
  const GateVerdict verdict = judge(*policy, *baseline, *candidate);
  const auto at = [&verdict](std::size_t i) { return metric_row(verdict.metrics[i]); };
  return page(head_of(verdict),
              {.size = verdict.metrics.size(), .at = at, .name = "metrics", .as_table = false},
              call.arguments);
}

}  // namespace

Tool gate_tool() {
  return {.name = "gate",
          .title = "Is a change a regression",
          .about =
              "pass, regression or inconclusive, with the noise measured: a pass is said only "
              "where a regression beyond the tolerance is ruled out. Regressions come first, "
              "with the lines that they come from. inconclusive says how many further runs "
              "would decide it.",
          .fields = joined(gate_fields(), page_fields()),
          .answer = answer_gate};
}

}  // namespace stepscope::mcp
