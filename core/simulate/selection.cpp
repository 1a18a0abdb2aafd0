// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/selection.hpp"

#include <algorithm>

namespace stepscope {

Selection::Selection(const FixScope& scope, const std::vector<Phase>& phases)
    : sites_(scope.sites.begin(), scope.sites.end()),
      cause_(scope.cause),
      scope_(scope),
      everything_(scope.sites.empty() && scope.phases.empty() && !scope.cause && !scope.direction &&
                  scope.ops.empty() && scope.host_times.empty()) {
  if (scope.phases.empty()) return;
  phases_.assign(phases.size(), false);
  for (PhaseId phase = 0; phase < phases.size(); ++phase) {
    for (PhaseId p = phase;; p = phases[p].parent) {
      if (std::find(scope.phases.begin(), scope.phases.end(), p) != scope.phases.end())
        phases_[phase] = true;
      if (p == 0) break;
    }
  }
}

Selection Selection::with_gradients() const {
  Selection out = *this;
  out.gradients_ = true;
  return out;
}

bool Selection::holds_phase(PhaseId phase) const {
  return phase < phases_.size() && phases_[phase];
}

template <class Task>
bool Selection::holds_place(const Task& task) const {
  if (!sites_.empty() && !sites_.contains(task.site)) return false;
  if (scope_.direction && task.direction != *scope_.direction) return false;
  return phases_.empty() || holds_phase(task.phase) ||
         (gradients_ && task.forward_phase != 0 && holds_phase(task.forward_phase));
}

// Half of the task, or half of one of the times lies in it.
bool Selection::is_in_times(Interval task) const {
  const IntervalSet& times = scope_.host_times;
  auto at = std::upper_bound(times.begin(), times.end(), task.begin,
                             [](std::int64_t t, const Interval& one) { return t < one.end; });
  std::int64_t inside = 0;
  for (; at != times.end() && at->begin < task.end; ++at) {
    const std::int64_t ns = intersect(*at, task).length();
    if (2 * ns >= at->length()) return true;
    inside += ns;
  }
  return 2 * inside >= task.length() && inside > 0;
}

bool Selection::holds(const HostTask& task, const TaskGraph& graph) const {
  if (!scope_.ops.empty()) return false;
  if (!scope_.host_times.empty()) return is_in_times({task.begin, task.end});
  if (!holds_place(task)) return false;
  if (!cause_ || task.cause == *cause_) return true;
  if (*cause_ == Cause::host_sync_return && task.wait != WaitKind::none) return true;
  const auto ops = graph.ops_of(task);
  return std::any_of(ops.begin(), ops.end(),
                     [this](const DeviceTask& op) { return op.cause == *cause_; });
}

bool Selection::holds(const DeviceTask& task) const {
  if (!scope_.ops.empty()) return std::binary_search(scope_.ops.begin(), scope_.ops.end(), task.op);
  if (!scope_.host_times.empty()) return false;
  return holds_place(task) && (!cause_ || task.cause == *cause_);
}

}  // namespace stepscope
