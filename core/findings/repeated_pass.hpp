// SPDX-License-Identifier: Apache-2.0
// A pass that the program makes again and again in one step: a Python loop over the samples of a batch,
// or over the elements of a tensor, in place of one pass over all of them.
//
//   pass      the outermost operations of the loop's thread that come at the same lines in the same
//             order, times after times, in the middle counted step: the longest such stretch
//             Not in the optimizer's phase, and not where a loader makes its batch
//   is one    where half of its operations take less than 100 us, and
//             it has operations with weights, comes at least 4 times, and the backward pass sums
//             gradients of fewer than half as many weights as there are such operations in all passes:
//             layers of a model have weights of their own;
//             or it has none, and comes at least 32 times;
//             or a backward pass follows each and no update lies between: micro-batches whose
//             gradients are added up
//   and       from its first operation to its last the stretch takes a tenth of the step or more: else
//             something else is what the step's time goes to. Other stretches of the same pass count with
//             it: a loop over elements that comes for each sample
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct RepeatedPass {
  std::uint64_t times = 0;       // in a step
  std::uint64_t in_a_row = 0;    // in the longest stretch
  std::uint64_t operations = 0;  // in a pass
  bool has_weights = false;
  // It has weights, and without a backward pass nothing tells it from layers of a model.
  bool may_be_layers = false;
  bool is_micro_batch = false;  // then its lines also hold its backward pass
  std::vector<SiteId> sites;    // where they are, ascending
  // The stretches' share of all time at these lines, without their backward pass: a framework's one
  // line may hold the whole step.
  double part = 1;
};

std::optional<RepeatedPass> find_repeated_pass(const JudgedRun& run);

}  // namespace stepscope::rules
