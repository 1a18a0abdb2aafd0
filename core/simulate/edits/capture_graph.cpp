// SPDX-License-Identifier: Apache-2.0
// Launches become one CUDA graph launch. A stretch ends where the host waits, copies from or to
// pageable memory, works for more than 0.2 ms between two calls, or leaves the scope: that cannot
// be captured. Inside, the host work goes (it ran when the graph was captured), and each op follows
// the one before it at the device's own pace.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>

namespace stepscope {
namespace {

constexpr Estimate kLaunchNs{10'000, 6'000, 25'000};
constexpr Estimate kNodeNs{60, 20, 200};       // a node of the graph, in the launch
constexpr Estimate kGapNs{1'200, 700, 1'800};  // between two nodes

// A thread that takes longer from one call to the next does work of its own, which no graph takes.
constexpr double kLongestDispatchNs = 200'000;

bool can_be_captured(const TaskGraph& graph, const HostTask& task) {
  if (task.wait != WaitKind::none || task.producer != kNone) return false;
  if (task.api == ApiKind::alloc_device || task.api == ApiKind::free_device) return false;
  const auto ops = graph.ops_of(task);
  return std::none_of(ops.begin(), ops.end(),
                      [](const DeviceTask& op) { return op.cause == Cause::copy_h2d_pageable; });
}

// Tasks of one stretch that are captured together.
class Stretch {
 public:
  explicit Stretch(Edit& edit) : edit_(edit) {}

  void add(HostTask& task) {
    if (is_work(task)) {
      way_.push_back(&task);
      way_ns_ += task.ns;
      return;
    }
    if (way_ns_ > kLongestDispatchNs) close();
    tasks_.insert(tasks_.end(), way_.begin(), way_.end());
    tasks_.push_back(&task);
    forget_way();
    launches_ += task.op_count > 0 ? 1 : 0;
    ops_ += task.op_count;
  }

  void close() {
    if (launches_ > 1) capture();
    tasks_.clear();
    forget_way();
    launches_ = ops_ = 0;
  }

 private:
  void capture() {
    TaskGraph& graph = edit_.graph;
    const double launch =
        kLaunchNs.at(edit_.luck) + kNodeNs.at(edit_.luck) * static_cast<double>(ops_);
    HostTask* first = nullptr;
    for (HostTask* task : tasks_) {
      task->ns = 0;
      if (task->op_count == 0) continue;
      if (first == nullptr) {
        first = task;
        task->ns = launch;
      }
      for (DeviceTask& op : graph.ops_of(*task)) {
        op.arrival_ns = (task == first ? launch : 0) + graph.latency_ns;
        op.gap_ns = kGapNs.at(edit_.luck);
      }
      ++edit_.touched;
    }
  }

  void forget_way() {
    way_.clear();
    way_ns_ = 0;
  }

  Edit& edit_;
  std::vector<HostTask*> tasks_;
  std::vector<HostTask*> way_;  // work since the last call
  double way_ns_ = 0;
  std::size_t launches_ = 0;
  std::size_t ops_ = 0;
};

}  // namespace

void capture_graph(Edit& edit) {
  TaskGraph& graph = edit.graph;
  Stretch stretch(edit);
  std::uint32_t step = 0;
  for (HostTask& task : graph.host) {
    const bool is_other = task.rejoins;
    if (is_other) continue;
    if (task.step != step || !can_be_captured(graph, task) || !edit.scope.holds(task, graph))
      stretch.close();
    step = task.step;
    if (can_be_captured(graph, task) && edit.scope.holds(task, graph)) stretch.add(task);
  }
  stretch.close();
  if (edit.touched > 0) {
    edit.assume("launching a graph takes 10 us and 0.06 us a node; its nodes follow after 1.2 us");
    edit.assume("shapes and addresses are the same in every step, as a graph needs");
  }
}

}  // namespace stepscope
