// SPDX-License-Identifier: Apache-2.0
// A pass that the program makes again and again in one step: a Python loop over the samples of a batch,
// or over the elements of a tensor, in place of one pass over all of them.
//
//   pass      what passes.hpp finds in a typical counted step, or in the one in which the middle of all
//             their time lies, where a few long steps take most of it: at least 4 times in a row. Not in the
//             optimizer's phase, and not where a loader makes its batch
//   is one    where half of its operations take less than 100 us, and
//             it has operations with weights, and the backward pass sums gradients of fewer than half as
//             many weights as there are such operations in all passes: layers of a model have weights of
//             their own;
//             or it has none, and is an iteration of a loop of the program that comes at least 8 times
//             in a row, or was only seen in the operations, and comes at least 32 times;
//             or a backward pass follows each: micro-batches whose gradients are added up
//   ends      where the optimizer works: what comes behind needs what that changed (the evaluations of
//             LBFGS, the updates of a critic)
//   and       all stretches of it take a tenth of the mean step or more, each from its first operation to
//             its last: else something else is what the step's time goes to
//   choice    where several are passes, the one is taken whose making as one pass would save most, and a
//             noted loop where it saves four fifths of that. A loop
//             around or within it that would save half as much or more is named beside it: which of the two
//             has passes that do not need each other, only the program's author knows
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/findings/judged_run.hpp"

namespace stepscope::rules {

struct RepeatedPass {
  SiteId loop = kNone;           // the first line of its loop, where the program's loops were noted
  std::uint64_t times = 0;       // in a step that has it, at the mean
  double share_of_steps = 1;     // counted steps that have it
  std::uint64_t in_a_row = 0;    // in the longest stretch
  std::uint64_t operations = 0;  // in a pass, at the mean
  bool has_weights = false;
  // It has weights, and without a backward pass nothing tells it from layers of a model.
  bool may_be_layers = false;
  bool is_micro_batch = false;  // then its lines also hold its backward pass
  std::vector<SiteId> sites;    // where they are, ascending
  double takes_ns = 0;          // all stretches, in the mean step
  // The stretches' share of all time at these lines, without their backward pass: a framework's one
  // line may hold the whole step.
  double part = 1;
  Interval span;  // in the step in which it was found, from its first operation to its last

  // The other loop of the two that are nested, its passes in a row, and whether it is the inner one.
  SiteId nested = kNone;
  std::uint64_t nested_in_a_row = 0;
  bool nested_is_inner = false;

  double operations_per_step() const {
    return share_of_steps * static_cast<double>(times * operations);
  }
  // Returns which share of a segment's time is this pass's; 0 elsewhere than at its lines.
  double share_of(const Segment& segment) const;
  // Returns the share of what each pass takes once, whatever its size, that one pass for all saves.
  double saved_share() const;
};

std::optional<RepeatedPass> find_repeated_pass(const JudgedRun& run);

}  // namespace stepscope::rules
