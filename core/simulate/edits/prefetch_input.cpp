// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/prefetch_input.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

// A batch is ready after this share of the time that preparing one takes.
Estimate share_of(const Fix& fix) {
  return {1.0 / std::max(1U, fix.workers), 0, 1};
}

// Of that time, what its workers take from the loop where they have no core of their own.
Estimate stays_of(const Fix& fix) {
  return {1 - fix.factor, 1 - fix.factor_high, 1 - fix.factor_low};
}

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
  // Where nothing is known of the cores, a loop that computes itself may find none free.
  const bool cores_are_known = edit.fix.factor < 1 || edit.fix.factor_low < 1;
  const bool may_stay = !cores_are_known && may_find_no_core(graph);
  const double stays = may_stay && edit.luck == Luck::bad
                           ? 1
                           : std::clamp(stays_of(edit.fix).at(edit.luck), 0.0, 1.0);
  const double share = std::max(share_of(edit.fix).at(edit.luck), stays);
  const std::uint32_t producer = graph.producers++;
  std::uint32_t step = kNone;
  HostTask* first = nullptr;
  for (HostTask& task : graph.host) {
    if (task.call != kNone || task.thread != 0 || !is_input(edit, task)) continue;
    ++edit.touched;
    if (task.producer != kNone) {
      task.every_ns *= share;
      continue;
    }
    if (task.follows != kNone) continue;
    if (task.step != step) {
      first = &task;
      step = task.step;
      first->producer = producer;
      first->every_ns = task.ns * share;
      first->ns = std::min(task.ns, kBatchTakeNs.at(edit.luck) + stays * task.ns);
    } else {
      first->every_ns += task.ns * share;
      task.ns *= stays;
    }
  }
  if (edit.touched == 0) return;
  const std::uint32_t workers = edit.fix.workers;
  edit.assume(fmt::format(
      "{} beside the step, each as fast as the loop does now (one worker to as many as it takes)",
      workers == 1 ? "one worker prepares input"
                   : fmt::format("{} workers prepare input", workers)));
  if (edit.fix.factor < 1)
    edit.assume(fmt::format(
        "there is no core for that alone: {:.0f} % of the input's time stays with the loop ({:.0f} "
        "to {:.0f} %)",
        100 * (1 - edit.fix.factor), 100 * (1 - edit.fix.factor_high),
        100 * (1 - edit.fix.factor_low)));
  if (may_stay)
    edit.assume(
        "workers find free cores; the loop computes on the CPU, too, and where there are none "
        "nothing is gained");
}

}  // namespace stepscope
