// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/edits/fuse_work.hpp"

#include <algorithm>

namespace stepscope {
namespace {

bool is_selected(const Edit& edit, const HostTask& task) {
  const auto ops = edit.graph.ops_of(task);
  return !ops.empty() && std::all_of(ops.begin(), ops.end(), [&edit](const DeviceTask& op) {
    return !op.dropped && edit.scope.holds(op);
  });
}

// Host tasks of one thread and step: the launches of a group, and the work on the way to them.
class Group {
 public:
  Group(Edit& edit, double factor) : edit_(edit), factor_(factor) {}

  void add(HostTask& task) {
    if (is_work(task)) {
      way_.push_back(&task);
      return;
    }
    if (!is_selected(edit_, task)) return close();
    if (first_ == nullptr) {
      first_ = &task;
    } else {
      for (HostTask* on_the_way : way_) on_the_way->ns = 0;
      for (const DeviceTask& op : edit_.graph.ops_of(task)) ns_ += op.ns;
      drop(edit_.graph, task);
    }
    way_.clear();
    ++edit_.touched;
  }

  void close() {
    if (first_ != nullptr) {
      auto ops = edit_.graph.ops_of(*first_);
      ops.front().ns += ns_;
      for (DeviceTask& op : ops) op.ns *= factor_;
    }
    first_ = nullptr;
    ns_ = 0;
    way_.clear();
  }

 private:
  Edit& edit_;
  double factor_;
  HostTask* first_ = nullptr;
  double ns_ = 0;  // of those that went
  std::vector<HostTask*> way_;
};

}  // namespace

void fuse_work(Edit& edit) {
  const double factor =
      Estimate{edit.fix.factor, edit.fix.factor_low, edit.fix.factor_high}.at(edit.luck);
  std::vector<Group> groups(edit.graph.threads, Group(edit, factor));
  std::uint32_t step = 0;
  for (HostTask& task : edit.graph.host) {
    if (task.step != step)
      for (Group& group : groups) group.close();
    step = task.step;
    groups[task.thread].add(task);
  }
  for (Group& group : groups) group.close();
}

}  // namespace stepscope
