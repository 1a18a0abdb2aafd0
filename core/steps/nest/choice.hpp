// SPDX-License-Identifier: Apache-2.0
// Chooses the loops whose iterations are steps.
//
// What trains is a set of kinds: each line that steps an optimizer, and backward passes; where
// nothing trains, the fetches of a loader. From an outer loop the choice goes on to those inside it
// as long as these hold every kind and nearly all of each. It stops where an iteration fetches a
// batch for several of the inner loop's, and, where nothing marks an optimizer, where iterations inside
// end with their gradients, which the loop then uses.
//
//   for epoch: for batch: critic twice, generator once     batch
//   for batch: for model in ensemble: its optimizer        batch, which all share
//   for it: for update in critic, generator: each by lines of its own     it: its cycle is written out
//   for _ in range(5): iteration(); for _ in range(55): iteration()     both: the same lines
//   batches that an optimizer steps for together (accumulation)         all of them, one step
//   for epoch: in even ones for batch: critic, in odd ones for batch: generator     batches of both
//   for stage: in the first for batch: one update, in the second another     batches of the longer stage
//   for it: for part of the batch: backward; then p -= lr * p.grad     it
//   for split in train, test: for batch: trains in one of them     batches of that one
#pragma once

#include <cstdint>
#include <vector>

#include "core/steps/nest/cycle.hpp"
#include "core/steps/nest/loop_nest.hpp"

namespace stepscope {

// Those whose iterations are steps of one kind: the ones with the most time. None where an iteration
// steps each of its optimizers many times over, and in no loop inside: map(), or another loop in C
// that is not noted, runs the steps.
std::vector<std::uint32_t> choose_loops(const Activity& activity, const Cycle& cycle,
                                        const LoopNest& nest);

}  // namespace stepscope
