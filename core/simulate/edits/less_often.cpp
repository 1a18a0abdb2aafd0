// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/less_often.hpp"

#include <algorithm>

namespace stepscope {

void less_often(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const Selection scope = edit.scope.with_gradients();
  std::vector<bool> runs(graph.steps.size(), false);
  for (const HostTask& task : graph.host) {
    if (scope.holds(task, graph)) runs[task.step] = true;
  }
  const auto times = static_cast<std::uint32_t>(std::count(runs.begin(), runs.end(), true));
  const bool whole = times >= edit.fix.every;
  std::vector<bool> keeps(graph.steps.size(), false);
  for (std::uint32_t step = 0, nth = 0; step < runs.size(); ++step) {
    if (runs[step]) keeps[step] = whole && nth++ % edit.fix.every == 0;
  }
  const double share = 1.0 / edit.fix.every;
  for (HostTask& task : graph.host) {
    if (keeps[task.step] || !scope.holds(task, graph)) continue;
    const double ns = whole ? 0 : task.ns * share;
    if (whole) {
      drop(graph, task);
    } else {
      task.wait = WaitKind::none;
      for (DeviceTask& op : graph.ops_of(task)) op.ns *= share;
    }
    task.ns = ns;
    ++edit.touched;
  }
  if (!whole && edit.touched > 0)
    edit.assume("the replayed steps are fewer than the fix's interval: each keeps its share");
}

}  // namespace stepscope
