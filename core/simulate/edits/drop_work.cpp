// SPDX-License-Identifier: Apache-2.0
// This phase or line does nothing any more: its host work, its calls, its waits and its device work
// go. Where host work between operations goes (a sleep, a log), what the thread then does without that
// pause runs faster, since its caches and its core stay with it.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>
#include <vector>

namespace stepscope {
namespace {

// The share of moved host work that stays, to hand it over. A sleep that goes leaves nothing.
constexpr Estimate kStays{0.03, 0, 0.3}, kSleepStays{0, 0, 0.03};

// A step of small operations takes 1.2 to 1.7 times as long behind a sleep, or other Python, of 2 to
// 20 ms as without it, and as long behind one of 1 ms (2 cores of an AMD EPYC, torch 2.11).
constexpr double kPauseNs = 1.5e6;
constexpr Estimate kWithoutPause{0.8, 0.55, 1};

// The host work that goes and that is neither an operation nor the way from one to the next, by step.
std::vector<double> pauses(const Edit& edit) {
  std::vector<double> out(edit.graph.steps.size(), 0);
  for (const HostTask& task : edit.graph.host) {
    const bool operates = is_host_compute(task.cause) || task.cause == Cause::host_framework;
    if (task.thread == 0 && !operates && edit.scope.holds(task, edit.graph))
      out[task.step] += task.ns;
  }
  return out;
}

void hasten(Edit& edit, const std::vector<double>& pauses) {
  bool any = false;
  for (HostTask& task : edit.graph.host) {
    if (task.thread != 0 || !is_work(task) || pauses[task.step] < kPauseNs) continue;
    if (edit.scope.holds(task, edit.graph)) continue;
    task.ns *= kWithoutPause.at(edit.luck);
    any = true;
  }
  if (any)
    edit.assume("what else the thread does takes 0.8 of its time without that pause (0.55 to all)");
}

// Host work alone: what its calls issue stays.
void take_out(Edit& edit, HostTask& task) {
  const bool sleeps = task.cause == Cause::host_off_cpu;
  const double stays = (sleeps ? kSleepStays : kStays).at(edit.luck);
  for (DeviceTask& op : edit.graph.ops_of(task))
    op.arrival_ns = std::max(0.0, op.arrival_ns - (1 - stays) * task.ns);
  task.ns *= stays;
  task.producer = kNone;
  if (!sleeps) edit.assume("three hundredths of that host work stay with the loop (none to 0.3)");
}

}  // namespace

void drop_work(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const Selection scope = edit.scope.with_gradients();
  if (!edit.fix.scope.host_times.empty()) hasten(edit, pauses(edit));
  for (HostTask& task : graph.host) {
    if (!scope.holds(task, graph)) continue;
    if (edit.fix.scope.host_times.empty()) {
      drop(graph, task);
    } else {
      take_out(edit, task);
    }
    ++edit.touched;
  }
  for (DeviceTask& op : graph.device) {  // work of graphs is launched elsewhere and written here
    if (op.dropped || !scope.holds(op)) continue;
    op.dropped = true;
    ++edit.touched;
  }
}

}  // namespace stepscope
