// SPDX-License-Identifier: Apache-2.0
// Input is prepared beside the step. The host work of the scope (the data phase, or the loader's
// causes where the scope is empty) leaves the loop's thread; workers do it, and the loop waits only
// for what comes late. Calls stay: the batch is still copied. A loader that already has processes of
// its own gets as many as the fix says, or twice as many. What workers compute needs cores: the
// replay gives no more than there are (replay.hpp).
#include "core/simulate/edits/edits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {
namespace {

constexpr std::uint32_t kUsualWorkers = 4;
constexpr std::uint32_t kPrefetchFactor = 2;  // batches ahead for each worker: PyTorch's own choice
// Taking a batch from a worker: 0.2 to 1.5 ms with one to three tensors on two busy cores; a thread
// of the same process hands over much less.
constexpr Estimate kBatchTakeNs{500'000, 20'000, 1'500'000};
// A worker may be a little faster or slower than the loop at the same work.
constexpr Estimate kWorkerIsSlower{1, 0.9, 1.2};

bool is_input(const Edit& edit, const HostTask& task) {
  if (edit.scope.is_everything()) return task.cause == Cause::host_data_wait;
  return edit.scope.holds(task, edit.graph);
}

// Work of the loop's thread that others could do: not unpacking what they made.
bool is_movable(const HostTask& task) {
  return task.call == kNone && task.thread == 0 && task.follows == kNone &&
         task.producer == kNone && !task.takes;
}

std::uint32_t workers_of(const Fix& fix) {
  return fix.workers > 0 ? fix.workers : kUsualWorkers;
}

// The producers of the scope's waits have as many workers as the fix says, else twice as many.
void add_workers(Edit& edit) {
  TaskGraph& graph = edit.graph;
  std::vector<bool> chosen(graph.producers.size(), false);
  for (const HostTask& task : graph.host) {
    if (task.producer == kNone || task.restarts || !is_input(edit, task)) continue;
    chosen[task.producer] = true;
    ++edit.touched;
  }
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (!chosen[p]) continue;
    Producer& producer = graph.producers[p];
    const std::uint32_t before = producer.workers;
    producer.workers = edit.fix.workers > 0 ? edit.fix.workers : 2 * before;
    producer.depth = producer.depth / before * producer.workers;
    edit.assume(fmt::format("the loader has {} worker{} in place of {}, each as fast as now",
                            producer.workers, producer.workers == 1 ? "" : "s", before));
  }
}

// Moves what the loop does itself for its batches to a producer of its own.
void move_to_workers(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const auto producer = static_cast<std::uint32_t>(graph.producers.size());
  // Where nothing is known of the cores, a loop that computes itself may find none free.
  const bool stays = edit.luck == Luck::bad && graph.cores == 0 && graph.device.empty();
  HostTask* first = nullptr;
  for (HostTask& task : graph.host) {
    if (!is_movable(task) || !is_input(edit, task)) continue;
    ++edit.touched;
    if (stays) continue;
    const double making = task.ns * kWorkerIsSlower.at(edit.luck);
    if (first == nullptr || task.step != first->step) {
      first = &task;
      task.producer = producer;
      task.making_ns = making;
      task.ns = std::min(task.ns, kBatchTakeNs.at(edit.luck));
    } else {
      first->making_ns += making;
      task.ns = 0;
    }
  }
  if (first == nullptr) return;
  const std::uint32_t workers = workers_of(edit.fix);
  graph.producers.push_back({.workers = workers,
                             .depth = kPrefetchFactor * workers,
                             .computes = edit.fix.computes.value_or(1)});
  edit.assume(fmt::format(
      "{} beside the step, each about as fast as the loop does now; taking a batch costs {:.1f} ms "
      "({:.2f} to {:.1f})",
      workers == 1 ? "one worker prepares input" : fmt::format("{} workers prepare input", workers),
      kBatchTakeNs.expected / 1e6, kBatchTakeNs.good / 1e6, kBatchTakeNs.bad / 1e6));
}

}  // namespace

void prefetch_input(Edit& edit) {
  add_workers(edit);
  move_to_workers(edit);
  if (edit.touched > 0 && edit.graph.cores > 0)
    edit.assume(fmt::format("nothing but this program wants the {} cores of this machine",
                            edit.graph.cores));
}

}  // namespace stepscope
