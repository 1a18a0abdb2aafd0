// SPDX-License-Identifier: Apache-2.0
// Task graphs made by hand, and what an edit makes of them.
#pragma once

#include <string>
#include <vector>

#include "core/simulate/edits/edit.hpp"
#include "core/simulate/replay.hpp"

namespace stepscope {

inline constexpr double kUs = 1000;

// One thread and one stream; L is 2 us, D 1 us, a launch call 5 us.
class GraphMaker {
 public:
  GraphMaker() {
    graph.streams = 1;
    graph.queue_depth = 1022;
    graph.latency_ns = 2 * kUs;
    graph.dispatch_ns = 1 * kUs;
    graph.launch_call_ns = graph.copy_call_ns = 5 * kUs;
  }

  HostTask& work(double ns, PhaseId phase = 0, Cause cause = Cause::host_python) {
    HostTask task;
    task.ns = ns;
    task.phase = phase;
    task.cause = cause;
    return add(task);
  }

  HostTask& launch(double device_ns, Cause cause = Cause::gpu_gemm, PhaseId phase = 0,
                   std::uint32_t stream = 0) {
    HostTask task;
    task.ns = 5 * kUs;
    task.call = 0;
    task.api = ApiKind::launch_kernel;
    task.phase = phase;
    task.first_op = static_cast<std::uint32_t>(graph.device.size());
    task.op_count = 1;
    DeviceTask op;
    op.ns = device_ns;
    op.arrival_ns = task.ns + graph.latency_ns;
    op.gap_ns = graph.dispatch_ns;
    op.cause = cause;
    op.phase = phase;
    op.stream = stream;
    graph.device.push_back(op);
    return add(task);
  }

  HostTask& sync() {
    HostTask task;
    task.ns = 1 * kUs;
    task.return_ns = 7 * kUs;
    task.call = 0;
    task.api = ApiKind::sync_stream;
    task.wait = WaitKind::stream;
    task.wait_on = 0;
    return add(task);
  }

  void end_step() {
    graph.steps.push_back({.row = static_cast<std::uint32_t>(graph.steps.size()),
                           .end_task = static_cast<std::uint32_t>(graph.host.size())});
  }

  TaskGraph graph;

 private:
  HostTask& add(HostTask task) {
    task.step = static_cast<std::uint32_t>(graph.steps.size());
    task.first_op = task.op_count > 0 ? task.first_op : 0;
    graph.host.push_back(task);
    return graph.host.back();
  }
};

inline const std::vector<Phase> kPhases = {{}, {"eval", 0}, {"inner", 1}};

struct Edited {
  TaskGraph graph;
  std::size_t touched = 0;
  std::vector<std::string> assumptions;
  double ns() const { return replay(graph).ns(); }
};

inline Edited apply(const TaskGraph& graph, const Fix& fix, Luck luck = Luck::expected) {
  Edited out{graph};
  const Selection scope(fix.scope, kPhases);
  Edit edit{out.graph, fix, scope, luck, out.assumptions};
  for (const EditRow& row : all_edits()) {
    if (row.kind == fix.kind) row.apply(edit);
  }
  out.touched = edit.touched;
  return out;
}

inline Fix in_phase(FixKind kind, PhaseId phase) {
  Fix fix{.kind = kind};
  fix.scope.phases = {phase};
  return fix;
}

}  // namespace stepscope
