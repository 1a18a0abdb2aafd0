// SPDX-License-Identifier: Apache-2.0
// Where the rise of a metric comes from, largest first. Of times: the summands of the exact
// difference that take longer. Of counts: the lines with more of it, which less those with fewer sum
// to the counted difference; what they cost, and why, is said where parts of the difference stand at
// the line. Work that owns no time (a launch behind which the device was busy) has a line, too.
// Internal to core/gate.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference);

}  // namespace stepscope
