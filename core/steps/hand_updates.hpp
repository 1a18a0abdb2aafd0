// SPDX-License-Identifier: Apache-2.0
// The operations with which a program updates its parameters without an optimizer of PyTorch, such as
// `p -= lr * p.grad`.
//
//   looked for in   processes without an Optimizer.step scope
//   where           behind a backward pass of the thread, up to the next operation that makes a node
//   what            an arithmetic operation in place that its line runs once for each gradient that the
//                   pass summed (AccumulateGrad), or up to kMostEach times, or one over a list of tensors;
//                   or for more than half of them: the points of a physics-informed loss have gradients,
//                   too; and the other operations there at such lines
//
// So a batch that is normalised in place, and an environment whose state is moved on, are no updates.
// Where no gradient was summed (autograd.grad), any such line is taken. An operation makes nodes if the
// thread's count of them is higher at the next operation. Where no counts are known, nothing is found;
// nor is an update that makes new tensors (`w = w - lr * g`), which looks like any other arithmetic.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

struct HandUpdates {
  std::vector<bool> is_part;  // by host range; those inside one are not marked
  // By thread: begins of updates whose gradients were counted, in order, one behind a backward pass.
  std::vector<std::vector<std::int64_t>> begins;
};

HandUpdates hand_updates_of(const Trace& trace);

}  // namespace stepscope
