// SPDX-License-Identifier: Apache-2.0
// The host no longer waits at these calls: the wait goes with its call, and so does the copy to the
// host right before it, whose only use is the value that was waited for. With `every` N, each N-th
// step keeps its waits (a log line now and then).
#include "core/simulate/edits/edits.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// The walk's limit: a longer return waited for something that was not recorded, and would wait on.
constexpr double kLongestReturnNs = 10'000;

bool waits_for_device(const TaskGraph& graph, const HostTask& task) {
  if (is_sync(task.api)) return true;
  return task.wait == WaitKind::own_ops && all_are(graph, task, CopyKind::device_to_host);
}

// Takes a read out together with what its operation does around its calls.
void take_read(TaskGraph& graph, std::uint32_t call) {
  const HostTask& at = graph.host[call];
  const auto take = [&](HostTask& task) {
    if (task.thread != at.thread) return true;
    if (task.reads) task.ns = 0;
    return task.reads;
  };
  for (std::uint32_t i = call; i-- > 0 && graph.host[i].step == at.step;)
    if (!take(graph.host[i])) break;
  for (std::uint32_t i = call + 1; i < graph.host.size() && graph.host[i].step == at.step; ++i)
    if (!take(graph.host[i])) break;
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
    if (reads) {
      drop(graph, graph.host[before]);
      take_read(graph, before);
    }
    const double unexplained = is_sync(task.api) ? task.return_ns - kLongestReturnNs : 0;
    drop(graph, task);
    take_read(graph, i);
    task.ns = std::max(0.0, unexplained);
    ++edit.touched;
  }
}

}  // namespace stepscope
