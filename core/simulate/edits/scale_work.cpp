// SPDX-License-Identifier: Apache-2.0
// Device ops of the scope take `factor` times as long; where the scope's cause is the host's, its
// work does. What others make for the loop takes them `factor` times as long; taking it stays, unless
// the scope is host.data_take.
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
  const bool of_takes = edit.fix.scope.cause == Cause::host_data_take;
  for (HostTask& task : graph.host) {
    const bool takes = of_takes && task.takes && task.producer != kNone;  // its begin holds a wait
    if (task.call != kNone || task.restarts || !(takes || edit.scope.holds(task, graph))) continue;
    if (task.producer != kNone && !takes) {
      task.making_ns *= factor;
    } else if (of_takes || !task.takes) {
      task.ns *= factor;
    }
    ++edit.touched;
  }
}

}  // namespace stepscope
