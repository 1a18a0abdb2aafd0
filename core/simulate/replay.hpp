// SPDX-License-Identifier: Apache-2.0
// Executes a task graph: a task begins when its resource is free and all that it waits for is done.
//
// Everything that a device op waits for was issued before it, so its times follow at its issue; so
// one pass over the host tasks in their recorded order is enough, whatever the edits changed. The
// steps are replayed several times in a row, and the first times do not count: by then the host runs
// as far ahead of the device, and workers ahead of the loop, as they would in a long run.
//
// Workers that compute need cores, and so does the loop: steps take no less than what all of them
// compute, divided by the cores.
#pragma once

#include <map>
#include <vector>

#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

struct Replayed {
  // By step, from the end of the step before to its own, times the steps that it stands for; so are
  // all sums over steps.
  std::vector<double> step_ns;
  double busy_ns = 0;                  // some device op ran, over all steps
  std::map<SiteId, double> waited_ns;  // by line: the loop's thread waits for the device
  double input_ns = 0;                 // it waits for what others make for it, over all steps

  double ns() const;  // Returns the sum over all steps.
};

Replayed replay(const TaskGraph& graph);

}  // namespace stepscope
