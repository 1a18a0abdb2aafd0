// SPDX-License-Identifier: Apache-2.0
// Whether the candidate has findings that the baseline does not have.
//
// A finding is new where every run of the candidate has it with the severity asked for or a higher
// one, and no run of the baseline has it at all: one that was there and grew is the times' matter.
// Each new one is a regression of its own, at its line; where there is none, one result says so.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::vector<MetricResult> judge_new_findings(Severity least,
                                             const std::vector<const Summary*>& baseline,
                                             const std::vector<const Summary*>& candidate);

}  // namespace stepscope
