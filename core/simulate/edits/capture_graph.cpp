// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/capture_graph.hpp"

#include <algorithm>

namespace stepscope {
namespace {

constexpr Estimate kLaunchNs{10'000, 6'000, 25'000};
constexpr Estimate kNodeNs{60, 20, 200};       // a node of the graph, in the launch
constexpr Estimate kGapNs{1'200, 700, 1'800};  // between two nodes

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
    tasks_.push_back(&task);
    launches_ += task.op_count > 0 ? 1 : 0;
    ops_ += task.op_count;
  }

  void close() {
    if (launches_ > 1) capture();
    tasks_.clear();
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

  Edit& edit_;
  std::vector<HostTask*> tasks_;
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
