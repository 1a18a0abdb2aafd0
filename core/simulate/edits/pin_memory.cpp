// SPDX-License-Identifier: Apache-2.0
// Copies from pageable host memory become copies from pinned memory with non_blocking: the call
// returns as every asynchronous copy's does, a synchronisation right behind it goes, and the copy
// runs at the speed of pinned copies.
#include "core/simulate/edits/edits.hpp"

namespace stepscope {
namespace {

constexpr double kLargeBytes = 1 << 20;  // from here on a copy's speed is its link's
// Time of a pinned copy as a share of a pageable one's, for traces without a pinned copy. PCIe
// carries 25 (4.0) to 55 GB/s (5.0), the driver's staging 7 to 14.
constexpr Estimate kPinnedShare{0.3, 0.15, 0.7};

// Returns bytes a nanosecond of pinned uploads in this trace; 0: none was large enough.
double pinned_speed(const TaskGraph& graph) {
  double bytes = 0;
  double ns = 0;
  for (const DeviceTask& op : graph.device) {
    if (op.cause != Cause::copy_h2d_pinned || op.bytes == kUnknownBytes) continue;
    if (static_cast<double>(op.bytes) < kLargeBytes) continue;
    bytes += static_cast<double>(op.bytes);
    ns += op.ns;
  }
  return ns > 0 ? bytes / ns : 0;
}

double pinned_ns(Edit& edit, const DeviceTask& op, double speed) {
  const bool large = op.bytes != kUnknownBytes && static_cast<double>(op.bytes) >= kLargeBytes;
  if (speed > 0 && large) {
    edit.assume("pinned copies run as fast as the large pinned copies of this trace");
    return static_cast<double>(op.bytes) / speed;
  }
  edit.assume("pinned copies take 0.3 of the time of pageable ones (0.15 to 0.7)");
  return op.ns * kPinnedShare.at(edit.luck);
}

}  // namespace

void pin_memory(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const double speed = pinned_speed(graph);
  for (std::uint32_t i = 0; i < graph.host.size(); ++i) {
    HostTask& task = graph.host[i];
    bool pageable = false;
    for (const DeviceTask& op : graph.ops_of(task))
      pageable |= op.cause == Cause::copy_h2d_pageable && !op.dropped;
    if (!pageable || !edit.scope.holds(task, graph)) continue;
    task.wait = WaitKind::none;
    task.ns = graph.copy_call_ns;
    for (DeviceTask& op : graph.ops_of(task)) {
      op.ns = pinned_ns(edit, op, speed);
      op.arrival_ns = task.ns + graph.latency_ns;
      op.cause = Cause::copy_h2d_pinned;
    }
    const std::uint32_t behind = call_behind(graph, i);
    if (behind != kNone && is_sync(graph.host[behind].api) && graph.host[behind].site == task.site)
      drop(graph, graph.host[behind]);
    ++edit.touched;
  }
  if (edit.touched > 0)
    edit.assume(
        "the memory is pinned beside the step, or once: pinning itself costs the loop nothing");
}

}  // namespace stepscope
