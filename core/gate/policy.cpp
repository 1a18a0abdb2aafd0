// SPDX-License-Identifier: Apache-2.0
#include "core/gate/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/summary/document/document_field.hpp"
#include "core/support/words.hpp"

namespace stepscope {
namespace {

constexpr std::string_view kSchema = "stepscope.policy/1";

void known_fields(const Field& object, const std::vector<std::string_view>& known) {
  if (!object.json().is_object()) object.fail("must be an object");
  for (const auto& [name, value] : object.json().items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view near = nearest(name, known);
    const std::string hint = near.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                                          : fmt::format("did you mean '{}'?", near);
    const std::string path = object.path().empty() ? name : object.path() + "." + name;
    throw FieldError(fmt::format("{}: is no field of a policy; {}", path, hint));
  }
}

double number_between(const Field& field, double low, double high) {
  const double value = field.number();
  if (!(value >= low && value <= high))
    field.fail(fmt::format("is {}, and must be {} to {}", value, low, high));
  return value;
}

Metric metric_at(const Field& field, const std::string& name) {
  Result<Metric> metric = parse_metric(name);
  if (!metric) field.fail(metric.error().message);
  return *metric;
}

// `key` is "name" of a metric, or "phase" with the prefix that makes it one.
MetricRule rule_at(const Field& field, const char* key, const Policy& policy) {
  const std::string prefix = std::string_view(key) == "phase" ? "phase:" : "";
  const bool bare = field.json().is_string();
  if (!bare) known_fields(field, {key, "tolerance"});
  const Field name = bare ? field : field.at(key);
  MetricRule rule{.metric = metric_at(name, prefix + name.text()), .required = true};
  rule.tolerance = rule.metric.is_time() ? policy.tolerance : 0;
  if (bare) return rule;
  if (const auto tolerance = field.find("tolerance"))
    rule.tolerance = number_between(*tolerance, 0, 1000);
  return rule;
}

void add_rule(const Field& field, MetricRule rule, Policy& policy) {
  for (const MetricRule& known : policy.rules)
    if (known.metric.name == rule.metric.name) field.fail("names a metric a second time");
  policy.rules.push_back(std::move(rule));
}

void add_default_rules(Policy& policy) {
  for (const Metric& metric : plain_metrics()) {
    if (!metric.is_time()) policy.rules.push_back({metric, 0, false});
    if (metric.name == "step_time") policy.rules.push_back({metric, policy.tolerance, true});
  }
}

bool matches(std::string_view pattern, std::string_view name) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t from = star; from <= name.size(); ++from)
    if (matches(pattern.substr(star + 1), name.substr(from))) return true;
  return false;
}

// A pattern that no rule matches is a slip of the pen, and would leave judged what should not be.
void ignore(const Field& field, Policy& policy) {
  const std::string pattern = field.text();
  if (pattern.starts_with("finding:")) {
    policy.ignored_findings.push_back(pattern);
    return;
  }
  if (pattern.find('*') == std::string::npos) static_cast<void>(metric_at(field, pattern));
  const auto removed = std::erase_if(
      policy.rules, [&](const MetricRule& rule) { return matches(pattern, rule.metric.name); });
  if (removed == 0) field.fail(fmt::format("'{}' matches no metric that is gated", pattern));
}

Policy policy_of(const Field& document) {
  known_fields(document, {"schema", "tolerance", "level", "metrics", "phases", "ignore", "budgets",
                          "new_findings", "least_steps", "paired"});
  if (document.at("schema").text() != kSchema)
    document.at("schema").fail(
        fmt::format("is '{}', but this version reads '{}'", document.at("schema").text(), kSchema));
  Policy out;
  if (const auto field = document.find("tolerance")) out.tolerance = number_between(*field, 0, 10);
  if (const auto field = document.find("level")) out.level = number_between(*field, 1e-6, 0.5);
  if (const auto field = document.find("paired")) out.paired = field->flag();
  if (const auto field = document.find("least_steps")) {
    out.least_steps = field->count();
    if (out.least_steps < 2) field->fail("must be 2 or more: one step has no spread");
  }
  const auto metrics = document.find("metrics");
  if (!metrics) add_default_rules(out);
  if (metrics)
    metrics->for_each([&](const Field& f) { add_rule(f, rule_at(f, "name", out), out); });
  if (const auto phases = document.find("phases"))
    phases->for_each([&](const Field& f) { add_rule(f, rule_at(f, "phase", out), out); });
  if (const auto ignored = document.find("ignore"))
    ignored->for_each([&](const Field& f) { ignore(f, out); });
  if (const auto budgets = document.find("budgets"))
    budgets->for_each([&](const Field& f) {
      Result<Budget> budget = parse_budget(f.text());
      if (!budget) f.fail(budget.error().message);
      out.budgets.push_back(std::move(*budget));
    });
  if (const auto field = document.find("new_findings")) {
    out.new_findings = severity_named(field->text());
    if (!out.new_findings) field->fail("must be 'high', 'medium' or 'info'");
  }
  if (out.rules.empty() && out.budgets.empty() && !out.new_findings)
    throw FieldError("metrics: the policy gates nothing, so it could never fail");
  return out;
}

}  // namespace

bool Policy::ignores_finding(std::string_view id) const {
  return std::any_of(
      ignored_findings.begin(), ignored_findings.end(),
      [&](const std::string& pattern) { return matches(pattern, fmt::format("finding:{}", id)); });
}

Policy default_policy() {
  Policy out;
  add_default_rules(out);
  return out;
}

Result<Policy> parse_policy(std::string_view text) {
  try {
    const nlohmann::json json = parse_json(text);
    return policy_of(Field(json));
  } catch (const FieldError& error) {
    return usage_error(error.what());
  }
}

Result<Policy> read_policy(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return io_error(path.string() +
                    ": is a folder; a policy is a JSON document ('stepscope help gate')");
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) return io_error("cannot read " + path.string());
  Result<Policy> policy = parse_policy(text);
  if (!policy) return Error{policy.error().code, path.string() + ": " + policy.error().message};
  return policy;
}

}  // namespace stepscope
