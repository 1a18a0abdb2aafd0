// SPDX-License-Identifier: Apache-2.0
// Which tasks a fix's scope names. All that is given must hold; an empty scope holds everything.
#pragma once

#include <set>
#include <vector>

#include "core/simulate/fix.hpp"
#include "core/simulate/task_graph.hpp"

namespace stepscope {

class Selection {
 public:
  Selection(const FixScope& scope, const std::vector<Phase>& phases);

  bool holds(const HostTask& task, const TaskGraph& graph) const;
  bool holds(const DeviceTask& task) const;
  bool is_everything() const { return everything_; }

 private:
  bool holds_place(PhaseId phase, SiteId site) const;
  bool is_in_times(Interval task) const;

  std::set<SiteId> sites_;
  std::vector<bool> phases_;  // with those inside them; empty: all
  std::optional<Cause> cause_;
  const FixScope& scope_;
  bool everything_;
};

}  // namespace stepscope
