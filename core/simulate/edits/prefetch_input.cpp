// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/prefetch_input.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// A batch is ready after this share of the time that preparing one takes: workers, in effect.
constexpr Estimate kShare{0.25, 0, 1};
constexpr Estimate kBatchTakeNs{100'000, 20'000, 300'000};

bool is_input(const Edit& edit, const HostTask& task) {
  if (edit.scope.is_everything()) return task.cause == Cause::host_data_wait;
  return edit.scope.holds(task, edit.graph);
}

// A loop that computes on the CPU itself may leave workers no core, and threads no turn at the
// interpreter's lock: then they gain nothing.
bool may_find_no_core(const TaskGraph& graph) {
  return graph.device.empty();
}

}  // namespace

void prefetch_input(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const bool stays = edit.luck == Luck::bad && may_find_no_core(graph);
  const std::uint32_t producer = graph.producers++;
  std::uint32_t step = kNone;
  HostTask* first = nullptr;
  for (HostTask& task : graph.host) {
    if (task.call != kNone || task.thread != 0 || !is_input(edit, task)) continue;
    ++edit.touched;
    if (stays) continue;
    if (task.producer != kNone) {
      task.every_ns *= kShare.at(edit.luck);
      continue;
    }
    if (task.follows != kNone) continue;
    if (task.step != step) {
      first = &task;
      step = task.step;
      first->producer = producer;
      first->every_ns = task.ns * kShare.at(edit.luck);
      first->ns = std::min(task.ns, kBatchTakeNs.at(edit.luck));
    } else {
      first->every_ns += task.ns * kShare.at(edit.luck);
      task.ns = 0;
    }
  }
  if (edit.touched > 0) {
    edit.assume(
        "four workers prepare input beside the step, each as fast as the loop does now (one worker "
        "to as many as it takes)");
    if (may_find_no_core(graph))
      edit.assume(
          "workers find free cores; the loop computes on the CPU, too, and where there are none "
          "nothing is gained");
  }
}

}  // namespace stepscope
