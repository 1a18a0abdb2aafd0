// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/remove_sync.hpp"

namespace stepscope {
namespace {

bool waits_for_device(const TaskGraph& graph, const HostTask& task) {
  if (is_sync(task.api)) return true;
  return task.wait == WaitKind::own_ops && all_are(graph, task, CopyKind::device_to_host);
}

}  // namespace

void remove_sync(Edit& edit) {
  TaskGraph& graph = edit.graph;
  for (std::uint32_t i = 0; i < graph.host.size(); ++i) {
    HostTask& task = graph.host[i];
    if (task.call == kNone || !waits_for_device(graph, task)) continue;
    if (!edit.scope.holds(task, graph)) continue;
    if (edit.fix.every > 1 && task.step % edit.fix.every == 0) continue;
    const std::uint32_t before = call_before(graph, i);
    const bool reads = before != kNone && is_sync(task.api) &&
                       all_are(graph, graph.host[before], CopyKind::device_to_host);
    if (reads) drop(graph, graph.host[before]);
    drop(graph, task);
    ++edit.touched;
  }
}

}  // namespace stepscope
