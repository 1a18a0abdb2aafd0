// SPDX-License-Identifier: Apache-2.0
// Verdicts of every kind, judged from hand-made runs.
#pragma once

#include <algorithm>

#include "core/gate/verdict.hpp"
#include "tests/core/gate/sample_runs.hpp"

namespace stepscope::samples {

inline const std::vector<double> kSteadyMs = {40.0, 40.1, 39.9, 40.05, 39.95};

inline Policy counts_and_time() {
  Policy policy = default_policy();
  std::erase_if(policy.rules, [](const MetricRule& rule) {
    return rule.metric.name != "kernels" && rule.metric.name != "host_syncs" &&
           rule.metric.name != "allocations" && rule.metric.name != "step_time";
  });
  return policy;
}

// A step that takes 7.5 % longer, and one wait more in it.
inline GateVerdict regression() {
  const std::vector<double> slower = {43, 43.1, 42.9, 43.05, 42.95};
  GateVerdict out = judge(counts_and_time(), gate_samples::runs(kSteadyMs),
                          gate_samples::later_runs(slower, {.syncs = 2}));
  // The step's time first, as a reader would have it.
  std::stable_sort(out.metrics.begin(), out.metrics.end(),
                   [](const MetricResult& x, const MetricResult& y) {
                     return x.name == "step_time" && y.name != "step_time";
                   });
  return out;
}

inline GateVerdict passing() {
  return judge(counts_and_time(), gate_samples::runs(kSteadyMs),
               gate_samples::later_runs(kSteadyMs));
}

inline GateVerdict open_verdict() {
  return judge(counts_and_time(), gate_samples::runs({40}), gate_samples::later_runs({40}));
}

inline GateVerdict not_comparable() {
  return judge(counts_and_time(), gate_samples::runs(kSteadyMs),
               gate_samples::later_runs(kSteadyMs, {.device = "NVIDIA A100-SXM4-40GB"}));
}

inline GateVerdict broken_budget() {
  Policy policy;
  for (const char* text : {"host_syncs <= 0", "phase:topk <= 15 %", "step_time <= 39.99 ms"})
    policy.budgets.push_back(*parse_budget(text));
  return judge(policy, {}, gate_samples::runs(kSteadyMs));
}

inline std::vector<GateVerdict> all_verdicts() {
  return {regression(), passing(), open_verdict(), not_comparable(), broken_budget()};
}

}  // namespace stepscope::samples
