// SPDX-License-Identifier: Apache-2.0
// Numbers and sentences of a gate's verdict that several writers print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

// "40.2 ms", "1,234", "4.19 MB": of a step.
std::string format_metric(MetricKind kind, double value);
std::string format_value(MetricKind kind, const std::optional<double>& value);  // or "not known"
std::string format_change(const MetricResult& metric);  // "+7.5 %"; empty where there is no ratio
// Returns why a change is plainly not the ratio of the two values beside it; else empty.
std::string note_on_changes(const GateVerdict& verdict);
std::string format_bounds(const MetricResult& metric);   // "+6.9 % to +8.1 %"; empty for counts
std::string format_allowed(const MetricResult& metric);  // "+2.0 %", or the budget

// The reasons of the metrics of an outcome, each with the names of those that share it.
std::vector<std::pair<std::string, std::string>> gate_reasons(const GateVerdict& verdict,
                                                              Outcome outcome);

// "Pass", "Regression", "Inconclusive", "Not comparable".
std::string_view gate_title(const GateVerdict& verdict);
// Returns what stands behind the title: what was judged, what failed, or what is missing.
std::string gate_summary(const GateVerdict& verdict);
// Returns how the counts, which one run decides, are judged alone, if only times kept the verdict
// open; else empty.
std::string counts_alone_text(const GateVerdict& verdict);
// "host_syncs: 1 a step, now 2; every step of the candidate does more ..."
std::string metric_sentence(const MetricResult& metric);
// "train.py:30 in step: cudaStreamSynchronize (host.sync_return, phase forward), +0.1 ms, +1 call"
std::string cause_sentence(const MetricCause& cause);

// The first cause with a line, for tools that point at one; null where none is known.
const MetricCause* located_cause(const MetricResult& metric);

}  // namespace stepscope
