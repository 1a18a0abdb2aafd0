// SPDX-License-Identifier: Apache-2.0
// Whether the candidate has findings that the baseline does not have.
//
// A finding is new where every run of the candidate has it with the severity asked for or a higher
// one, and no run of the baseline has it at that place (file's name and function) with such a
// severity, or with nearly the same share of the step. The new ones of a rule are a regression, at
// their lines. A rule that could not judge the candidate is inconclusive, and so is a finding of
// one that could not judge the baseline: what nobody looked for does not pass.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

using IsIgnored = std::function<bool(const std::string& id)>;  // by the policy

std::vector<MetricResult> judge_new_findings(Severity least,
                                             const std::vector<const Summary*>& baseline,
                                             const std::vector<const Summary*>& candidate,
                                             const IsIgnored& is_ignored);

}  // namespace stepscope
