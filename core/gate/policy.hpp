// SPDX-License-Identifier: Apache-2.0
// What a gate judges and how strictly: a JSON document, schema "stepscope.policy/1"
// (reports/schema/policy-1.schema.json). Every field may be left out.
//
//   tolerance    0.02: how much slower a time may be before it is a regression
//   level        0.05: chance of a false alarm of any of the times
//   metrics      names, or { name, tolerance }; left out: all counts (tolerance 0) and step_time
//   phases       names, or { phase, tolerance }: their times are gated besides
//   ignore       metrics and findings ("finding:clock_change") that are not judged; '*' stands for
//                any characters
//   budgets      "host_syncs <= 0", "phase:topk <= 5 %" (of the step), "step_time <= 40 ms"
//   new_findings "high": no finding of that severity (or a higher one) that the baseline lacks
//   least_steps  2: runs with fewer counted steps decide nothing
//   paired       false: baseline i and candidate i ran one after the other
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/gate/metric.hpp"

namespace stepscope {

struct MetricRule {
  Metric metric;
  double tolerance = 0;
  bool required = false;  // named by the policy: that a run lacks it is no pass
};

struct Budget {
  Metric metric;
  double limit = 0;    // a step: a count, bytes, ns, or a share of the step
  bool share = false;  // the limit is a share of the step's time
  std::string text;    // as it was written
};

struct Policy {
  double tolerance = 0.02;
  double level = 0.05;
  std::uint64_t least_steps = 2;
  bool paired = false;
  std::vector<MetricRule> rules;
  std::vector<Budget> budgets;
  std::optional<Severity> new_findings;
  std::vector<std::string> ignored_findings;  // patterns of "finding:ID"

  bool ignores_finding(std::string_view id) const;
  bool compares() const { return !rules.empty() || new_findings; }
  // Without a baseline the budgets alone are judged.
  bool needs_baseline() const { return budgets.empty(); }
};

Policy default_policy();

// Errors: usage, naming the field, with the nearest name for an unknown one.
Result<Policy> parse_policy(std::string_view text);
Result<Policy> read_policy(const std::filesystem::path& path);  // the file's name in front

Result<Budget> parse_budget(std::string_view text);

}  // namespace stepscope
