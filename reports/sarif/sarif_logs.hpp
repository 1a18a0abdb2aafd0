// SPDX-License-Identifier: Apache-2.0
// Results as SARIF 2.1.0, for code scanning. A result needs a line to be shown at: without one it is
// a notification of the tool's run. `root` is the repository's folder, which paths are made relative
// to.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/gate/verdict.hpp"
#include "core/report/wording/findings.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// A report's findings: a finding is a result at its line, with the rule's page as help. Level: high
// is error, medium warning, info note. `rank` is what the fix gives, in percent of the step. Also
// notifications: what holds for all findings (a trace that its profiler slowed, no forecast), and
// what could not be judged.
std::string sarif_findings(const std::vector<Summary>& summaries,
                           std::span<const FindingRule> rules, std::string_view root = "");

// A gate's verdict: a regression is a result at the line of its largest cause. Also notifications:
// an inconclusive metric, and runs that cannot be compared.
std::string sarif_gate(const GateVerdict& verdict, std::string_view root = "");

}  // namespace stepscope
