// SPDX-License-Identifier: Apache-2.0
// Which host ranges are an optimizer's own work.
//
// An Optimizer.step scope may hold more than that: given a closure, it runs the whole forward and
// backward pass inside (PyTorch Lightning always does, LBFGS must). The own work begins where the
// last autograd node that began inside the scope, on whichever thread, has ended; without a node,
// at the scope's begin. Where a closure runs several times (LBFGS), operations between two of its runs
// are the optimizer's, too, until one that is at another line than the scope: there the closure begins.
// Where none is (a library has the closure, and its line is the scope's), they count as the closure's.
// An operation that updates parameters without an optimizer of PyTorch is a
// scope of its own (core/steps/hand_updates.hpp).
#pragma once

#include <map>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class OptimizerWork {
 public:
  explicit OptimizerWork(const Trace& trace);

  bool is_scope(RangeId range) const { return scope_of_[range] == range; }
  // Returns where the optimizer's own work in a scope begins.
  std::int64_t own_begin(RangeId scope) const;
  // Whether the range is a scope or lies in one, behind its closure.
  bool holds(RangeId range) const;

 private:
  struct Node {
    std::int64_t begin;
    std::int64_t last_end;  // the latest end among all nodes up to this one
  };
  void collect_nodes();
  void find_between_runs(RangeId scope);
  // Returns the end of the last pass that has begun before a moment in the scope; the scope's begin: none.
  std::int64_t pass_end(RangeId scope, std::int64_t before) const;

  const Trace& trace_;
  std::vector<RangeId> scope_of_;         // a range: the innermost scope around it, or none
  std::vector<std::vector<Node>> nodes_;  // a process: its autograd nodes by begin
  std::map<RangeId, std::vector<Interval>> between_runs_;  // by scope, in order of time
};

}  // namespace stepscope
