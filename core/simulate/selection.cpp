// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/selection.hpp"

#include <algorithm>

namespace stepscope {

Selection::Selection(const FixScope& scope, const std::vector<Phase>& phases)
    : sites_(scope.sites.begin(), scope.sites.end()),
      cause_(scope.cause),
      everything_(scope.sites.empty() && scope.phases.empty() && !scope.cause) {
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

bool Selection::holds_place(PhaseId phase, SiteId site) const {
  if (!sites_.empty() && !sites_.contains(site)) return false;
  return phases_.empty() || (phase < phases_.size() && phases_[phase]);
}

bool Selection::holds(const HostTask& task, const TaskGraph& graph) const {
  if (!holds_place(task.phase, task.site)) return false;
  if (!cause_ || task.cause == *cause_) return true;
  if (*cause_ == Cause::host_sync_return && task.wait != WaitKind::none) return true;
  const auto ops = graph.ops_of(task);
  return std::any_of(ops.begin(), ops.end(),
                     [this](const DeviceTask& op) { return op.cause == *cause_; });
}

bool Selection::holds(const DeviceTask& task) const {
  return holds_place(task.phase, task.site) && (!cause_ || task.cause == *cause_);
}

}  // namespace stepscope
