// SPDX-License-Identifier: Apache-2.0
// Whether a candidate keeps a budget: by what was measured, with no baseline. A pass where every
// run keeps it, a regression where every run breaks it; runs on both sides of it, or a run that
// lacks the metric, are inconclusive. A count's budget is broken by any run that breaks it.
// Internal to core/gate.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

MetricResult judge_budget(const Budget& budget, const std::vector<const Summary*>& runs);

}  // namespace stepscope
