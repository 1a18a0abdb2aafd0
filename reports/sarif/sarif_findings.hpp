// SPDX-License-Identifier: Apache-2.0
// A report's findings as SARIF 2.1.0, for code scanning: a finding is a result at its line, with
// the rule's page as help. Level: high is error, medium warning, info note. `rank` is what the fix
// gives, in percent of the step.
//
// A result needs a line to be shown at. A finding without one is a notification of the tool's run,
// and so is what holds for all of them (a trace that its profiler slowed, no forecast), and what
// could not be judged.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/wording/finding_rule.hpp"
#include "core/summary/summary.hpp"

namespace stepscope {

// `root`: the repository's folder, which paths are made relative to.
std::string sarif_findings(const std::vector<Summary>& summaries,
                           std::span<const FindingRule> rules, std::string_view root = "");

}  // namespace stepscope
