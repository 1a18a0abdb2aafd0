// SPDX-License-Identifier: Apache-2.0
// Input is prepared beside the step. The host work of the scope (the data phase, or the loader's
// causes where the scope is empty) leaves the loop's thread; workers do it, and the loop waits only
// for what comes late. Calls stay: the batch is still copied. A loader that already has processes of
// its own gets as many as the fix says, or twice as many. What workers compute needs cores: the
// replay gives no more than there are (replay.hpp).
//
// Workers are kept from epoch to epoch, as the advice says. So where the loop over a loader begins
// anew, neither their end nor their start is waited for, but the first batch is: its making, and
// its hand-over.
#include "core/simulate/edits/edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace stepscope {
namespace {

constexpr std::uint32_t kUsualWorkers = 4;
constexpr std::uint32_t kPrefetchFactor = 2;  // batches ahead for each worker: PyTorch's own choice
// Taking a batch from a thread of the same process or from what else there may be.
constexpr Estimate kBatchTakeNs{500'000, 20'000, 1'500'000};
// How long a worker takes for the same work, of the loop's time: where it sleeps, and where it computes.
// Its batch goes to shared memory, whose pages are new: 1.11 to 1.2 with 0.4 to 3.5 MB a batch on two
// idle cores of an AMD EPYC.
constexpr Estimate kWorkerSleeps{1, 0.9, 1.2}, kWorkerComputes{1.12, 0.95, 1.3};

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

// Whether all that lies between the two tasks was recorded, as far as steps say.
bool is_recorded_between(const TaskGraph& graph, const HostTask& first, const HostTask& second) {
  for (std::uint32_t step = first.step + 1; step <= second.step; ++step)
    if (!graph.steps[step].follows_on) return false;
  return true;
}

// Takes the end of workers and the start of others out. There, two takes follow each other: `last` finds
// no more batches, and `first` is of the next epoch. What lies between at their line starts workers;
// all else there stays, such as the steps between two evaluations.
void keep_workers(TaskGraph& graph, std::size_t last, std::size_t first) {
  std::vector<HostTask>& tasks = graph.host;
  const SiteId line = tasks[last].site;
  double recorded = 0;
  bool in_take = true;
  for (std::size_t i = last; i < tasks.size(); ++i) {
    HostTask& task = tasks[i];
    if (task.thread != 0) continue;
    in_take = i == last || i == first || (in_take && task.takes && task.producer == kNone);
    if (i > first && !in_take) break;
    const bool starts = i < first && !task.takes && task.site == line;
    if (task.call != kNone || !(in_take || starts)) continue;
    recorded += task.ns;
    task.ns = 0;
  }
  const Producer& made = graph.producers[tasks[first].producer];
  tasks[first].ns = std::min(recorded, made.making_ns + made.take_ns);
}

// Returns at how many begins of an epoch the workers are kept.
std::size_t keep_workers(Edit& edit, std::uint32_t producer) {
  TaskGraph& graph = edit.graph;
  std::size_t kept = 0;
  std::optional<std::size_t>
      before;  // the take before, unless it is the first of a pair that was met
  for (std::size_t i = 0; i < graph.host.size(); ++i) {
    if (graph.host[i].producer != producer) continue;
    const bool is_pair = before && graph.host[*before].restarts && graph.host[i].restarts &&
                         is_recorded_between(graph, graph.host[*before], graph.host[i]);
    if (is_pair) keep_workers(graph, *before, i);
    kept += is_pair ? 1 : 0;
    before = is_pair ? std::nullopt : std::optional(i);
  }
  return kept;
}

std::string workers_text(std::uint32_t before, std::uint32_t now) {
  if (now == before)
    return fmt::format("the loader keeps its {} from epoch to epoch",
                       now == 1 ? "worker" : fmt::format("{} workers", now));
  return fmt::format(
      "the loader has {} worker{} in place of {}, each as fast as now, and keeps them from epoch "
      "to "
      "epoch",
      now, now == 1 ? "" : "s", before);
}

// The producers of the scope's waits have as many workers as the fix says, else twice as many.
void add_workers(Edit& edit) {
  TaskGraph& graph = edit.graph;
  std::vector<std::size_t> chosen(graph.producers.size(), 0);  // tasks
  for (const HostTask& task : graph.host)
    if (task.producer != kNone && is_input(edit, task)) ++chosen[task.producer];
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    if (chosen[p] == 0) continue;
    Producer& producer = graph.producers[p];
    const std::uint32_t before = producer.workers;
    producer.workers = edit.fix.workers > 0 ? edit.fix.workers : 2 * before;
    producer.depth = producer.depth / before * producer.workers;
    const std::size_t kept = keep_workers(edit, static_cast<std::uint32_t>(p));
    if (kept == 0 && producer.workers == before) continue;  // the replayed steps hold no such begin
    edit.touched += chosen[p];
    edit.assume(workers_text(before, producer.workers));
  }
}

double worker_factor(double computes, Luck luck) {
  return computes * kWorkerComputes.at(luck) + (1 - computes) * kWorkerSleeps.at(luck);
}

// Moves what the loop does itself for its batches to a producer of its own.
void move_to_workers(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const auto producer = static_cast<std::uint32_t>(graph.producers.size());
  // Where nothing is known of the cores, a loop that computes itself may find none free.
  const bool stays = edit.luck == Luck::bad && graph.cores == 0 && graph.device.empty();
  const double computes = edit.fix.computes.value_or(1);
  const double slower = worker_factor(computes, edit.luck);
  std::vector<HostTask*> takes;  // one a step
  for (HostTask& task : graph.host) {
    if (!is_movable(task) || !is_input(edit, task)) continue;
    ++edit.touched;
    if (stays) continue;
    const double ns = std::exchange(task.ns, 0);
    if (takes.empty() || task.step != takes.back()->step) {
      const double batches = graph.steps[task.step].asks_loader;
      takes.push_back(&task);
      task.making_ns = batches * kLoaderGiveNs.at(edit.luck);
      task.ns = batches > 0 ? batches * kLoaderTakeNs.at(edit.luck)
                            : std::min(ns, kBatchTakeNs.at(edit.luck));
    }
    takes.back()->making_ns += ns * slower;
  }
  if (takes.empty()) return;
  const std::uint32_t workers = workers_of(edit.fix);
  double making = 0;
  for (HostTask* take : takes) {
    making += take->making_ns / static_cast<double>(takes.size());
    take->producer = producer;
    take->restarts = graph.steps[take->step].begins_loader;
    if (take->restarts) take->ns += std::exchange(take->making_ns, 0);
  }
  graph.producers.push_back({.workers = workers,
                             .depth = kPrefetchFactor * workers,
                             .making_ns = making,
                             .computes = computes});
  const Estimate& take =
      graph.steps[takes.back()->step].asks_loader > 0 ? kLoaderTakeNs : kBatchTakeNs;
  edit.assume(fmt::format(
      "{} beside the step, each in {:.2f} of the loop's time for it; taking a batch costs {:.1f} "
      "ms "
      "({:.2f} to {:.1f})",
      workers == 1 ? "one worker prepares input" : fmt::format("{} workers prepare input", workers),
      worker_factor(computes, Luck::expected), take.expected / 1e6, take.good / 1e6,
      take.bad / 1e6));
}

}  // namespace

void prefetch_input(Edit& edit) {
  add_workers(edit);
  move_to_workers(edit);
  if (edit.touched > 0 && edit.graph.cores > 0)
    edit.assume(fmt::format("nothing but this program wants the {} cores of this machine{}",
                            edit.graph.cores,
                            edit.graph.device.empty()
                                ? ", and its operations compute with one thread: where they have a "
                                  "thread for each core, steps became up to a third longer"
                                : ""));
}

}  // namespace stepscope
