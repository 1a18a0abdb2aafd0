// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/drop_work.hpp"

namespace stepscope {

void drop_work(Edit& edit) {
  TaskGraph& graph = edit.graph;
  for (HostTask& task : graph.host) {
    if (!edit.scope.holds(task, graph)) continue;
    drop(graph, task);
    ++edit.touched;
  }
  for (DeviceTask& op : graph.device) {  // of graphs: launched elsewhere, written here
    if (op.dropped || !edit.scope.holds(op)) continue;
    op.dropped = true;
    ++edit.touched;
  }
}

}  // namespace stepscope
