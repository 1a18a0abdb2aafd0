// SPDX-License-Identifier: Apache-2.0
// How many launches may be outstanding before a call blocks, and what blocked calls take of their
// own, learnt from the replayed steps.
//
// Attribution learns the depth from single long calls (dependencies.hpp). Where the queue is full
// for most of a step every call is a little longer instead: calls that began just below the most
// that was ever outstanding, and took longer than those that found room, waited for a slot.
#include "core/simulate/graph/build_graph.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::uint64_t kSmallestDepth = 900;  // drivers of 2026 hold 1,020 or more
constexpr double kBlockedFactor = 1.5;         // than the typical call that found room

struct LaunchCall {
  HostTask* task;
  std::uint64_t outstanding;
};

std::vector<LaunchCall> launch_calls(const Trace& trace, TaskGraph& graph) {
  std::vector<LaunchCall> calls;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> running;
  for (HostTask& task : graph.host) {
    if (task.op_count == 0) continue;
    while (!running.empty() && running.top() <= task.begin) running.pop();
    if (task.api == ApiKind::launch_kernel) calls.push_back({&task, running.size()});
    for (const DeviceTask& op : graph.ops_of(task)) running.push(trace.device_ops().end[op.op]);
  }
  return calls;
}

}  // namespace

void learn_queue(const Trace& trace, TaskGraph& graph) {
  const std::vector<LaunchCall> calls = launch_calls(trace, graph);
  std::uint64_t most = 0;
  for (const LaunchCall& call : calls) most = std::max(most, call.outstanding);
  if (most < kSmallestDepth) return;
  std::vector<double> free;
  std::vector<double> all;
  for (const LaunchCall& call : calls) {
    if (call.outstanding < most / 2) free.push_back(call.task->ns);
    all.push_back(call.task->ns);
  }
  // Where every call met a full queue, the shortest is nearest to a call's own time.
  const auto shortest = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 20);
  std::nth_element(all.begin(), shortest, all.end());
  const double typical = free.empty() ? *shortest : median_of(std::move(free));
  bool blocked = false;
  for (const LaunchCall& call : calls) {
    if (call.outstanding + most / 64 < most || call.task->ns < kBlockedFactor * typical) continue;
    call.task->ns = typical;
    blocked = true;
  }
  if (blocked) graph.queue_depth = most;
}

}  // namespace stepscope
