// SPDX-License-Identifier: Apache-2.0
// This phase or line does nothing any more: its host work, its calls, its waits and its device work
// go.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// The share of moved host work that stays, to hand it over.
constexpr Estimate kStays{0.03, 0, 0.3};

// Host work alone: what its calls issue stays.
void take_out(Edit& edit, HostTask& task) {
  const double stays = kStays.at(edit.luck);
  for (DeviceTask& op : edit.graph.ops_of(task))
    op.arrival_ns = std::max(0.0, op.arrival_ns - (1 - stays) * task.ns);
  task.ns *= stays;
  task.producer = kNone;
  edit.assume("three hundredths of that host work stay with the loop (none to 0.3)");
}

}  // namespace

void drop_work(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const Selection scope = edit.scope.with_gradients();
  for (HostTask& task : graph.host) {
    if (!scope.holds(task, graph)) continue;
    if (edit.fix.scope.host_times.empty()) {
      drop(graph, task);
    } else {
      take_out(edit, task);
    }
    ++edit.touched;
  }
  for (DeviceTask& op : graph.device) {  // work of graphs is launched elsewhere and written here
    if (op.dropped || !scope.holds(op)) continue;
    op.dropped = true;
    ++edit.touched;
  }
}

}  // namespace stepscope
