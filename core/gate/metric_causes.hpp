// SPDX-License-Identifier: Apache-2.0
// Where the rise of a metric comes from: the summands of the exact difference that speak of it,
// largest first. Of times, those that take longer; of counts, those with more calls. A count whose
// calls own no time (a launch behind which the device was busy) has no summand and no cause.
// Internal to core/gate.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference);

}  // namespace stepscope
