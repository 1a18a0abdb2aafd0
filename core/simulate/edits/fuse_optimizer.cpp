// SPDX-License-Identifier: Apache-2.0
// The optimizer's kernels become few: a fused optimizer launches some of them for all parameters
// and reads and writes each value once. Without a scope, that is the work of cause gpu.optimizer
// and the phase in which it is launched.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>
#include <set>

namespace stepscope {
namespace {

constexpr std::size_t kFusedKernels = 4;
constexpr Estimate kDeviceShare{0.4, 0.2, 0.8};
constexpr Estimate kFloorNs{1'500, 2'000, 0};  // fixed cost of a kernel, whatever it does
constexpr double kLeastKernelNs = 2'000;
constexpr Estimate kCallNs{150'000, 60'000, 400'000};  // host work of a fused step

bool is_optimizer(const Edit& edit, const HostTask& task) {
  if (!edit.scope.is_everything()) return edit.scope.holds(task, edit.graph);
  const auto ops = edit.graph.ops_of(task);
  return std::any_of(ops.begin(), ops.end(),
                     [](const DeviceTask& op) { return op.cause == Cause::gpu_optimizer; });
}

// The rows of one step from its first optimizer call to its last, with the work on the way.
struct OptimizerSpan {
  std::uint32_t first = kNone;
  std::uint32_t last = 0;
  std::size_t launches = 0;
  std::set<PhaseId> phases;
};

// Forward and backward may stand between zero_grad and the step, in the span but not of it.
bool belongs(const Edit& edit, const OptimizerSpan& span, const HostTask& task) {
  return is_optimizer(edit, task) ||
         (edit.scope.is_everything() && task.op_count == 0 && span.phases.contains(task.phase));
}

}  // namespace

void fuse_optimizer(Edit& edit) {
  TaskGraph& graph = edit.graph;
  std::vector<OptimizerSpan> spans(graph.steps.size());
  for (std::uint32_t i = 0; i < graph.host.size(); ++i) {
    const HostTask& task = graph.host[i];
    if (!is_optimizer(edit, task)) continue;
    OptimizerSpan& span = spans[task.step];
    if (span.first == kNone) span.first = i;
    span.last = i;
    span.launches += task.op_count;
    span.phases.insert(task.phase);
  }
  for (const OptimizerSpan& span : spans) {
    if (span.launches <= kFusedKernels) continue;
    double host = 0;
    for (std::uint32_t i = span.first; i <= span.last; ++i) {
      if (belongs(edit, span, graph.host[i]) && graph.host[i].wait == WaitKind::none)
        host += graph.host[i].ns;
    }
    const double share = std::min(1.0, kCallNs.at(edit.luck) / std::max(host, 1.0));
    std::size_t kept = 0;
    double device = 0;
    for (std::uint32_t i = span.first; i <= span.last; ++i) {
      if (!belongs(edit, span, graph.host[i])) continue;
      for (const DeviceTask& op : graph.ops_of(graph.host[i]))
        device += op.dropped ? 0 : std::max(0.0, op.ns - kFloorNs.at(edit.luck));
    }
    for (std::uint32_t i = span.first; i <= span.last; ++i) {
      HostTask& task = graph.host[i];
      if (!belongs(edit, span, task)) continue;
      task.ns *= share;
      if (task.op_count == 0) continue;
      const bool keep = kept < kFusedKernels && ++kept > 0;
      for (DeviceTask& op : graph.ops_of(task)) {
        op.arrival_ns = task.ns + graph.latency_ns;
        if (keep) {
          op.ns = kLeastKernelNs + device * kDeviceShare.at(edit.luck) / kFusedKernels;
        } else {
          op.dropped = true;
        }
      }
      ++edit.touched;
    }
  }
  if (edit.touched > 0) {
    edit.assume("a fused optimizer step takes 150 us of host time (60 to 400)");
    edit.assume(
        "its kernels take 0.4 of the device time of the single ones (0.2 to 0.8), less 1.5 us for "
        "each of those: each value is read and written once");
  }
}

}  // namespace stepscope
