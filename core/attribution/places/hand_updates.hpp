// SPDX-License-Identifier: Apache-2.0
// The operations with which a program updates its parameters without an optimizer of PyTorch, such as
// `p -= lr * p.grad`.
//
//   looked for in   processes without an Optimizer.step scope
//   where           behind a backward pass of the thread, up to the next operation that makes a node
//   what            arithmetic in place, and the other operations there at the lines that do it
//
// An operation makes nodes if the thread's count of them is higher at the next operation. Where no
// counts are known, nothing is found; nor is an update that makes new tensors (`w = w - lr * g`),
// which looks like any other arithmetic.
#pragma once

#include <vector>

#include "core/model/trace.hpp"

namespace stepscope {

// Returns by host range whether it is such an operation. Those inside one are not marked.
std::vector<bool> hand_updates_of(const Trace& trace);

}  // namespace stepscope
