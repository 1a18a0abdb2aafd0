// SPDX-License-Identifier: Apache-2.0
// The copies that a step makes at a place become one: one call, one copy of all their bytes, one
// wait. The host work between them at that line goes too, for it prepares one copy each. Where the
// kernels right behind the last copy only join tensors (torch.stack of what was copied), they and the
// host work on the way to them go as well: one copy brings what they would make.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>
#include <map>

namespace stepscope {
namespace {

struct CopyGroup {  // the copies of one step and one line
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  std::size_t count = 0;
  double ns = 0;
};

bool is_only_copies(const TaskGraph& graph, const HostTask& task) {
  return all_are(graph, task, CopyKind::host_to_device) ||
         all_are(graph, task, CopyKind::device_to_host) ||
         all_are(graph, task, CopyKind::device_to_device);
}

// A copy's time without its bytes: the shortest of the trace.
double shortest(const TaskGraph& graph) {
  double ns = 0;
  for (const DeviceTask& op : graph.device) {
    if (op.copy != CopyKind::none && !op.dropped && (ns == 0 || op.ns < ns)) ns = op.ns;
  }
  return ns;
}

// Returns the wait that belongs to a copy, right behind it.
std::uint32_t wait_behind(const TaskGraph& graph, std::uint32_t copy) {
  const std::uint32_t behind = call_behind(graph, copy);
  const bool waits = behind != kNone && is_sync(graph.host[behind].api) &&
                     graph.host[behind].site == graph.host[copy].site;
  return waits ? behind : kNone;
}

// The share of the host work around the merged copies that stays.
constexpr Estimate kRest{0.05, 0, 0.3};

bool only_joins(const TaskGraph& graph, const HostTask& task) {
  const auto ops = graph.ops_of(task);
  return !ops.empty() &&
         std::all_of(ops.begin(), ops.end(), [](const DeviceTask& op) { return op.joins; });
}

// Drops the kernels right behind the last copy that join tensors.
void drop_joins(Edit& edit, std::uint32_t last) {
  TaskGraph& graph = edit.graph;
  const std::uint32_t own_wait = wait_behind(graph, last);
  for (std::uint32_t next = call_behind(graph, last); next != kNone;
       next = call_behind(graph, next)) {
    HostTask& call = graph.host[next];
    if (call.op_count == 0 && (call.wait == WaitKind::none || next == own_wait)) continue;
    if (!only_joins(graph, call)) return;
    for (std::uint32_t i = last + 1; i < next; ++i) {
      HostTask& way = graph.host[i];
      if (way.thread == call.thread && is_work(way)) way.ns *= kRest.at(edit.luck);
    }
    drop(graph, call);
    last = next;
  }
}

void keep_only_last(Edit& edit, const CopyGroup& group) {
  TaskGraph& graph = edit.graph;
  const double between = kRest.at(edit.luck);
  const double fixed = shortest(graph);
  const HostTask& last = graph.host[group.last];
  for (std::uint32_t i = group.first; i < group.last; ++i) {
    HostTask& task = graph.host[i];
    if (task.thread != last.thread || task.site != last.site) continue;
    if (is_work(task)) {
      task.ns *= between;
    } else if (is_only_copies(graph, task)) {
      const std::uint32_t wait = wait_behind(graph, i);
      if (wait != kNone && wait < group.last) drop(graph, graph.host[wait]);
      drop(graph, task);
    }
  }
  DeviceTask& op = graph.device[last.first_op];
  op.ns = fixed + std::max(0.0, group.ns - static_cast<double>(group.count) * fixed);
  drop_joins(edit, group.last);
  edit.touched += group.count - 1;
}

}  // namespace

void merge_copies(Edit& edit) {
  TaskGraph& graph = edit.graph;
  std::map<std::pair<std::uint32_t, SiteId>, CopyGroup> groups;
  for (std::uint32_t i = 0; i < graph.host.size(); ++i) {
    const HostTask& task = graph.host[i];
    if (!is_only_copies(graph, task) || !edit.scope.holds(task, graph)) continue;
    CopyGroup& group = groups[{task.step, task.site}];
    if (group.first == kNone) group.first = i;
    group.last = i;
    ++group.count;
    for (const DeviceTask& op : graph.ops_of(task)) group.ns += op.ns;
  }
  for (const auto& [place, group] : groups) {
    if (group.count > 1) keep_only_last(edit, group);
  }
  if (edit.touched > 0) {
    edit.assume(
        "a twentieth of the host work between the merged copies, and on the way to what joins "
        "them, stays, to gather what they carried (none to 0.3)");
  }
}

}  // namespace stepscope
