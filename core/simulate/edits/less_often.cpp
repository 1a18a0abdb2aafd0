// SPDX-License-Identifier: Apache-2.0
// This phase or line runs in one of `every` steps of those in which it runs now. Where the replayed
// steps hold fewer of them than that, each keeps its share of the time and waits for nothing.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

// Share of the phase's work by which a choice of its runs may miss the wanted share.
constexpr double kUneven = 0.05;

// Modules are loaded once, whether the phase runs often or seldom.
bool repeats(const Selection& scope, const TaskGraph& graph, const HostTask& task) {
  return task.cause != Cause::host_module_load && scope.holds(task, graph);
}

// The phase's work by step, of those in which it runs, for all the steps that each stands for.
struct PhaseRuns {
  std::vector<std::uint32_t> steps;
  std::vector<double> work;
  double total = 0;
};

PhaseRuns find_runs(const Selection& scope, const TaskGraph& graph) {
  std::vector<double> work(graph.steps.size(), -1);
  for (const HostTask& task : graph.host) {
    if (!repeats(scope, graph, task)) continue;
    double& sum = work[task.step];
    const double weight = graph.steps[task.step].stands_for;
    sum = std::max(sum, 0.0) + weight * task.ns;
    for (const DeviceTask& op : graph.ops_of(task)) sum += weight * op.ns;
  }
  PhaseRuns out;
  for (std::uint32_t step = 0; step < work.size(); ++step) {
    if (work[step] < 0) continue;
    out.steps.push_back(step);
    out.work.push_back(work[step]);
    out.total += work[step];
  }
  return out;
}

// Returns the kept work by where one begins to count: one in `every` runs holds more or less of it.
std::vector<double> kept_by_offset(const PhaseRuns& runs, std::uint32_t every) {
  std::vector<double> out(every, 0);
  for (std::size_t i = 0; i < runs.work.size(); ++i) out[i % every] += runs.work[i];
  return out;
}

// Chooses where counting begins. With luck the small runs stay, without it the large ones; expected
// is what comes nearest to the share. `every` where none comes near: then each run keeps its share
// of time.
std::uint32_t chosen_offset(const Edit& edit, const PhaseRuns& runs) {
  const std::uint32_t every = edit.fix.every;
  if (runs.steps.size() < every) return every;
  const std::vector<double> kept = kept_by_offset(runs, every);
  const auto at = [&kept](auto found) { return static_cast<std::uint32_t>(found - kept.begin()); };
  if (edit.luck == Luck::good) return at(std::min_element(kept.begin(), kept.end()));
  if (edit.luck == Luck::bad) return at(std::max_element(kept.begin(), kept.end()));
  const double share = runs.total / every;
  const auto nearest = std::min_element(kept.begin(), kept.end(), [share](double a, double b) {
    return std::abs(a - share) < std::abs(b - share);
  });
  return std::abs(*nearest - share) <= kUneven * runs.total ? at(nearest) : every;
}

}  // namespace

void less_often(Edit& edit) {
  TaskGraph& graph = edit.graph;
  const Selection scope = edit.scope.with_gradients();
  const PhaseRuns runs = find_runs(scope, graph);
  const std::uint32_t offset = chosen_offset(edit, runs);
  const bool whole = offset < edit.fix.every;
  std::vector<bool> keeps(graph.steps.size(), false);
  for (std::size_t i = offset; whole && i < runs.steps.size(); i += edit.fix.every)
    keeps[runs.steps[i]] = true;
  const double share = 1.0 / edit.fix.every;
  for (HostTask& task : graph.host) {
    if (keeps[task.step] || !repeats(scope, graph, task)) continue;
    const double ns = whole ? 0 : task.ns * share;
    if (whole) {
      drop(graph, task);
    } else {
      task.wait = WaitKind::none;
      for (DeviceTask& op : graph.ops_of(task)) op.ns *= share;
    }
    task.ns = ns;
    ++edit.touched;
  }
  if (!whole && edit.touched > 0)
    edit.assume(
        "the phase runs too seldom in the replayed steps to leave runs out evenly: each "
        "keeps its share");
}

}  // namespace stepscope
