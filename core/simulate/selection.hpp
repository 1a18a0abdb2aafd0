// SPDX-License-Identifier: Apache-2.0
// Which tasks a fix's scope names. All that is given must hold; an empty scope holds everything.
#pragma once

#include <set>
#include <vector>

#include "core/simulate/fix.hpp"
#include "core/simulate/graph/task_graph.hpp"

namespace stepscope {

class Selection {
 public:
  Selection(const FixScope& scope, const std::vector<Phase>& phases);

  bool holds(const HostTask& task, const TaskGraph& graph) const;
  bool holds(const DeviceTask& task) const;
  bool is_everything() const { return everything_; }

  // The same, and the gradients of what a phase computes: they go when it goes. (A line holds those
  // of its ops anyway.)
  Selection with_gradients() const;

 private:
  template <class Task>
  bool holds_place(const Task& task) const;
  bool holds_phase(PhaseId phase) const;
  bool is_in_times(Interval task) const;

  std::set<SiteId> sites_;
  std::vector<bool> phases_;  // with those inside them; empty: all
  std::optional<Cause> cause_;
  const FixScope& scope_;
  bool everything_;
  bool gradients_ = false;
};

// Fixes that would change at least one task of the graph: one a line and kind where lines are
// known, else one a phase. None is judged here; the replay says what each gives.

std::vector<Fix> candidate_fixes(const TaskGraph& graph);

}  // namespace stepscope
