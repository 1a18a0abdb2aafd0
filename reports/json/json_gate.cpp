// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
void add_if(Json& out, const char* name, const std::optional<Value>& value) {
  if (value) out[name] = *value;
}

Json value_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json cause_json(const MetricCause& cause) {
  Json out = {{"cause", name_of(cause.cause)}, {"phase", cause.phase}};
  if (!cause.file.empty()) {
    out["file"] = cause.file;
    out["line"] = cause.line;
  }
  if (!cause.function.empty()) out["function"] = cause.function;
  if (cause.direction != Direction::none) out["direction"] = name_of(cause.direction);
  if (!cause.operation.empty()) out["operation"] = cause.operation;
  out["kind"] = name_of(cause.kind);
  out["delta_ns_per_step"] = cause.ns_per_step;
  out["delta_calls_per_step"] = cause.calls_per_step;
  if (cause.bytes_per_step != 0) out["delta_bytes_per_step"] = cause.bytes_per_step;
  return out;
}

Json metric_json(const MetricResult& metric) {
  Json out = {{"name", metric.name},
              {"kind", name_of(metric.kind)},
              {"verdict", name_of(metric.outcome)},
              {"why", metric.why}};
  if (metric.budget.empty()) {
    out["baseline"] = value_or_null(metric.baseline);
    out["tolerance"] = metric.tolerance;
  } else {
    out["budget"] = metric.budget;
  }
  out["candidate"] = value_or_null(metric.candidate);
  add_if(out, "ratio", metric.ratio);
  add_if(out, "ratio_low", metric.ratio_low);
  add_if(out, "ratio_high", metric.ratio_high);
  add_if(out, "more_runs_needed", metric.further_runs);
  out["causes"] = Json::array();
  for (const MetricCause& cause : metric.causes) out["causes"].push_back(cause_json(cause));
  return out;
}

Json runs_json(const std::vector<GateRun>& runs) {
  Json out = Json::array();
  for (const GateRun& run : runs) {
    Json row = {{"path", run.path},
                {"device", run.device},
                {"steps_counted", run.steps},
                {"wall_ns_per_step", run.step_ns}};
    add_if(row, "clock_mhz", run.clock_mhz);
    if (!run.not_used.empty()) row["not_used"] = run.not_used;
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string json_gate(const GateVerdict& verdict) {
  Json out = {{"schema", "stepscope.gate/1"},
              {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
              {"verdict", name_of(verdict.outcome)},
              {"comparable", verdict.comparable}};
  out["why_not"] = verdict.why_not;
  out["warnings"] = verdict.warnings;
  out["level"] = verdict.level;
  out["paired"] = verdict.paired;
  out["metrics"] = Json::array();
  for (const MetricResult& metric : verdict.metrics) out["metrics"].push_back(metric_json(metric));
  add_if(out, "more_runs_needed", verdict.further_runs);
  out["baseline"] = runs_json(verdict.baseline);
  out["candidate"] = runs_json(verdict.candidate);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace json_rows {

Json metric(const MetricResult& metric) {
  return metric_json(metric);
}

}  // namespace json_rows
}  // namespace stepscope
