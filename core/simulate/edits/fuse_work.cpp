// SPDX-License-Identifier: Apache-2.0
// fuse_work: device operations of the scope that were issued one after another become one. It takes
// `factor` of their time; the host issues the first alone, and does nothing on the way to the
// others, nor does it wait for the values that they copy to the host. With factor 0 they are kernels
// that only read and write memory: one takes as long as the longest of them.
#include "core/simulate/edits/edits.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// A chain of kernels that only read and write memory (factor 0). Fused, it reads its inputs and
// writes its outputs once, and the longest of its kernels has done as much. Good: half of that,
// where the kernels between were wider than what goes in and out. Bad: half of the others stays,
// where the chain breaks, or what lies between is read again.
constexpr Estimate kOfLongest{1, 0.5, 1};
constexpr Estimate kOfOthers{0, 0, 0.5};

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
    const bool asks = task.op_count == 0 && task.wait == WaitKind::none && task.producer == kNone;
    if (is_work(task) || asks) {
      way_.push_back(&task);
      return;
    }
    if (waits_for_read(task)) {
      if (read_ != first_) drop(edit_.graph, task);
      read_ = nullptr;
      return;
    }
    if (!is_selected(edit_, task)) return close();
    read_ = all_are(edit_.graph, task, CopyKind::device_to_host) ? &task : nullptr;
    if (first_ == nullptr) {
      first_ = &task;
    } else {
      for (HostTask* on_the_way : way_) on_the_way->ns = 0;
      for (const DeviceTask& op : edit_.graph.ops_of(task)) add(op);
      drop(edit_.graph, task);
    }
    way_.clear();
    ++edit_.touched;
  }

  void close() {
    if (first_ != nullptr) {
      auto ops = edit_.graph.ops_of(*first_);
      for (const DeviceTask& op : ops) add(op);
      const double fused = fused_ns() / static_cast<double>(ops.size());
      for (DeviceTask& op : ops) op.ns = fused;
    }
    first_ = read_ = nullptr;
    ns_ = longest_ = 0;
    way_.clear();
  }

 private:
  void add(const DeviceTask& op) {
    ns_ += op.ns;
    longest_ = std::max(longest_, op.ns);
  }

  // Whether it waits for the copy to the host that the group issued last.
  bool waits_for_read(const HostTask& task) const {
    return read_ != nullptr && task.op_count == 0 && is_sync(task.api);
  }

  double fused_ns() const {
    if (edit_.fix.factor > 0) return factor_ * ns_;
    return kOfLongest.at(edit_.luck) * longest_ + kOfOthers.at(edit_.luck) * (ns_ - longest_);
  }

  Edit& edit_;
  double factor_;
  HostTask* first_ = nullptr;
  HostTask* read_ = nullptr;  // the call before, where it copies to the host
  double ns_ = 0;             // device time of the operations to be fused
  double longest_ = 0;
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
  if (edit.touched > 0 && edit.fix.factor == 0) {
    edit.assume(
        "a chain of kernels that only read and write memory becomes one that takes as long as the "
        "longest of them (half as long, to half of the others more)");
  }
}

}  // namespace stepscope
