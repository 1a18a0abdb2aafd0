// SPDX-License-Identifier: Apache-2.0
#include "core/steps/whole_trace.hpp"

#include <algorithm>

namespace stepscope {
namespace {

constexpr double kNoClaim = 0.1;

ThreadId busiest_thread(const Trace& trace, ProcessId process) {
  ThreadId busiest = 0;
  std::uint32_t most = 0;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    if (trace.data().threads[t].process != process || trace.ranges_of(t).size() <= most) continue;
    most = trace.ranges_of(t).size();
    busiest = t;
  }
  return busiest;
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
      .steps = {{0, activity.host}}};
}

}  // namespace stepscope
