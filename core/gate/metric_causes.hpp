// SPDX-License-Identifier: Apache-2.0
// Where the rise of a metric comes from, largest first. A time's causes are the summands of the
// exact difference that take longer. A count's causes are the lines with more of it; less those
// with fewer, they sum to the counted difference. Their cost and reason are given where parts of
// the difference are at that line. Work that owns no time (a launch behind which the device was
// busy) has a line, too.
// Internal to core/gate.
#pragma once

#include <vector>

#include "core/gate/verdict.hpp"

namespace stepscope {

std::vector<MetricCause> causes_of(const Metric& metric, const Comparison& difference);

}  // namespace stepscope
