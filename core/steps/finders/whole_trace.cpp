// SPDX-License-Identifier: Apache-2.0
#include "core/steps/finders/whole_trace.hpp"

#include <algorithm>

#include "core/steps/busiest_thread.hpp"

namespace stepscope {
namespace {

constexpr double kNoClaim = 0.1;

// All that is known of the process: its device may work on long after its host fell silent.
Interval all_of(const Activity& activity) {
  Interval time = activity.host;
  const DeviceOps& ops = activity.trace->device_ops();
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (activity.trace->data().streams[ops.stream[op]].process != activity.process) continue;
    time = {std::min(time.begin, ops.begin[op]), std::max(time.end, ops.end[op])};
  }
  return time;
}

}  // namespace

Loop find_whole_trace(const Activity& activity) {
  return {
      .found_by = FoundBy::whole_trace,
      .confidence = kNoClaim,
      .how =
          "no marks, no optimizer and no period of at least three repeats: the whole trace is one "
          "window and no step time is claimed; name a range with --step-marker",
      .thread = busiest_thread(*activity.trace, activity.process),
      .steps = {{0, all_of(activity)}}};
}

}  // namespace stepscope
