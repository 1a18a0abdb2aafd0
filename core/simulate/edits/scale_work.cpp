// SPDX-License-Identifier: Apache-2.0
// Device ops of the scope take `factor` times as long; where the scope's cause is the host's, its
// work does. What others make for the loop takes them `factor` times as long; taking it stays.
#include "core/simulate/edits/edits.hpp"

namespace stepscope {

void scale_work(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const double factor =
      Estimate{edit.fix.factor, edit.fix.factor_low, edit.fix.factor_high}.at(edit.luck);
  for (DeviceTask& op : graph.device) {
    if (op.dropped || !edit.scope.holds(op)) continue;
    op.ns *= factor;
    ++edit.touched;
  }
  if (!edit.fix.scope.cause || !is_host(*edit.fix.scope.cause)) return;
  for (HostTask& task : graph.host) {
    if (task.call != kNone || task.restarts || !edit.scope.holds(task, graph)) continue;
    if (task.producer != kNone) {
      task.making_ns *= factor;
    } else if (!task.takes) {
      task.ns *= factor;
    }
    ++edit.touched;
  }
}

}  // namespace stepscope
