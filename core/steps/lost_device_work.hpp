// SPDX-License-Identifier: Apache-2.0
// Steps of other tools' traces whose device work is not in the trace: the profiler lost it, or was
// not ready for it. What such a step's device did is not known, so it is not counted, nor is the one
// behind it, which may hold the lost work's end.
//
//   launches   its kernel launches have the device's records for less than kAsUsual of the share
//              that two steps reach, or none has any
//   records    it has no device work and no launch, other steps do, and its host took at least half
//              of what theirs did
// Device ops that no record ties to a launch (collectives of some profilers) are work of launches
// that seem to lack it: where there are as many of those, nothing is lost.
#pragma once

#include "core/steps/steps.hpp"

namespace stepscope {

struct StepLaunches {  // launches of kernels and graphs in a step's host time
  std::uint64_t recorded = 0, unrecorded = 0;
  bool last_recorded = true;
};
std::vector<StepLaunches> launches_by_step(const Trace& trace, const Steps& steps);

// By call, launches of graphs with fewer device ops than most launches of the same graph have, which
// have as many: the profiler lost some, or the trace ends in between.
std::vector<bool> cut_graph_launches(const Trace& trace);

// By call, launches without device work while their process captured a graph: they put kernels into
// it, and run nothing.
std::vector<bool> captured_launches(const Trace& trace);

// Device ops of the process that no record ties to a call: without a correlation, or on a stream
// that has none with a call where others have.
std::vector<bool> unlinked_ops(const Trace& trace, ProcessId process);

// Behind end_warm_up.
void set_lost_work_aside(const Trace& trace, Steps& steps);

}  // namespace stepscope
