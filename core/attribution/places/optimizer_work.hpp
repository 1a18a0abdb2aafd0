// SPDX-License-Identifier: Apache-2.0
// Which host ranges are an optimizer's own work.
//
// An Optimizer.step scope may hold more than that: given a closure, it runs the whole forward and
// backward pass inside (PyTorch Lightning always does, LBFGS must). The own work begins where the
// last autograd node that began inside the scope, on whichever thread, has ended; without a node,
// at the scope's begin. Of a closure that runs several times, all but what follows the last time
// counts as the closure's.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

class OptimizerWork {
 public:
  explicit OptimizerWork(const Trace& trace);

  bool is_scope(RangeId range) const { return scope_of_[range] == range; }
  // Of a scope.
  std::int64_t own_begin(RangeId scope) const;
  // Lies in a scope (or is one), behind its closure.
  bool holds(RangeId range) const;

 private:
  struct Node {
    std::int64_t begin;
    std::int64_t last_end;  // of all nodes up to this one
  };
  void collect_nodes();

  const Trace& trace_;
  std::vector<RangeId> scope_of_;         // a range: the innermost scope around it, or none
  std::vector<std::vector<Node>> nodes_;  // a process: its autograd nodes by begin
};

}  // namespace stepscope
