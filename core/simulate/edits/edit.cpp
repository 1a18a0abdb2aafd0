// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/edit.hpp"

#include <algorithm>

namespace stepscope {

void Edit::assume(std::string sentence) {
  if (std::find(assumptions.begin(), assumptions.end(), sentence) == assumptions.end())
    assumptions.push_back(std::move(sentence));
}

void drop(TaskGraph& graph, HostTask& task) {
  task.ns = 0;
  task.wait = WaitKind::none;
  task.producer = kNone;
  for (DeviceTask& op : graph.ops_of(task)) op.dropped = true;
}

std::uint32_t call_before(const TaskGraph& graph, std::uint32_t task) {
  const HostTask& from = graph.host[task];
  for (std::uint32_t i = task; i-- > 0 && graph.host[i].step == from.step;) {
    if (graph.host[i].thread == from.thread && graph.host[i].call != kNone) return i;
  }
  return kNone;
}

std::uint32_t call_behind(const TaskGraph& graph, std::uint32_t task) {
  const HostTask& from = graph.host[task];
  for (std::uint32_t i = task + 1; i < graph.host.size() && graph.host[i].step == from.step; ++i) {
    if (graph.host[i].thread == from.thread && graph.host[i].call != kNone) return i;
  }
  return kNone;
}

bool is_work(const HostTask& task) {
  return task.call == kNone && task.producer == kNone;
}

bool all_are(const TaskGraph& graph, const HostTask& task, CopyKind kind) {
  const auto ops = graph.ops_of(task);
  return !ops.empty() && std::all_of(ops.begin(), ops.end(), [kind](const DeviceTask& op) {
    return op.copy == kind && !op.dropped;
  });
}

}  // namespace stepscope
