// SPDX-License-Identifier: Apache-2.0
// A DataLoader loses its workers: in place of waiting for a batch and unpacking it, the loop makes it.
// That takes as long as it took the worker, less what the worker needs to pack a batch. Workers were
// among those who had the cores while the loop's thread waited for one: half of these waits are expected
// to go, and at best all of them. Where it waited for a core much, operations with several threads did,
// too: at best all that the loop computes takes a quarter less.
#include "core/simulate/edits/edits.hpp"

namespace stepscope {
namespace {

constexpr Estimate kWaitsForCoreLeft{0.5, 0, 1};
constexpr double kMuchOnCore = 0.95;  // share of its time awake in which the loop had a core
constexpr Estimate kComputesLeft{1, 0.75, 1};

}  // namespace

void make_in_loop(Edit& edit) {
  TaskGraph& graph = edit.graph;
  for (HostTask& task : graph.host) {
    if (!task.takes || task.call != kNone) continue;
    task.ns = 0;
    if (task.producer == kNone) continue;
    const double clocked = graph.producers[task.producer].clocked_ns;
    task.ns = made_in_loop(clocked > 0 ? clocked : task.making_ns).at(edit.luck);
    task.making_ns = 0;
    task.producer = kNone;
    task.restarts = false;
    ++edit.touched;
  }
  if (edit.touched == 0) return;
  const Estimate computes = graph.on_core < kMuchOnCore ? kComputesLeft : Estimate{1, 1, 1};
  for (HostTask& task : graph.host) {
    if (task.takes) continue;
    const bool waits = task.cause == Cause::host_core_wait;
    task.ns *= (waits ? kWaitsForCoreLeft : computes).at(edit.luck);
  }
  edit.assume(
      "the loop makes its batches itself, as fast as a worker does; half of its waits for a core "
      "(none to all of them) were for the workers");
}

}  // namespace stepscope
