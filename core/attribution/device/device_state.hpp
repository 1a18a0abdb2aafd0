// SPDX-License-Identifier: Apache-2.0
// Who owns the time in which the device works: at each moment the running op of the highest
// priority, compute before communication before copies, so that communication and copies show what
// is exposed. Among equals the op that began first keeps the time.
#pragma once

#include <vector>

#include "core/attribution/cause.hpp"
#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

struct BusySegment {
  Interval time;
  DeviceOpId op = kNone;
};

// `ops` sorted by begin. The segments are sorted, disjoint, and cover exactly the union of the ops.
std::vector<BusySegment> busy_segments(const DeviceOps& table, const std::vector<DeviceOpId>& ops,
                                       const std::vector<Cause>& cause_of_op);

}  // namespace stepscope
