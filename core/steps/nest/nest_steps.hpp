// SPDX-License-Identifier: Apache-2.0
// Steps are the iterations of one of the program's own loops: the innermost one whose iterations
// each hold a whole cycle of what trains.
//
// What trains is a set of kinds: each line that steps an optimizer, and backward passes. From an
// outer loop the choice goes on to those inside it as long as these hold every kind and nearly all
// of each. It stops where an iteration fetches a batch for several of the inner loop's.
//
//   for epoch: for batch: critic twice, generator once     batch
//   for batch: for model in ensemble: its optimizer        batch, which all share
//   for _ in range(5): iteration(); for _ in range(55): iteration()     both: the same lines
//   batches that an optimizer steps for together (accumulation)         all of them, one step
//
//   for split in train, test: for batch: trains in one of them     batches of that one
//
// An iteration that skips its optimizer is a step, as long as most do not. Loops around and inside
// are further divisions. An iteration that steps its optimizers many times over, and in no loop
// inside, is none: map(), or another loop in C that is not noted, runs the steps.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// Nothing where no loops were noted, nothing trains in one, or the one that does was not noted.
Loop find_nest_steps(const Activity& activity);

}  // namespace stepscope
