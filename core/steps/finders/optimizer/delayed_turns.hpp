// SPDX-License-Identifier: Apache-2.0
// An optimizer that steps in every k-th iteration only: delayed policy updates (two critic updates,
// then the second iteration's actor update), a generator that is trained once in five batches.
//
// In a cycle of k turns of one kind and then turns of others, the k turns are either k iterations,
// the last of which does more, or an inner loop of one iteration. Nothing that one cycle does tells
// which, but for its input; the whole run may:
//   one batch       only the first of the k turns fetches a batch or copies one to the device: an
//                   inner loop over that batch, one iteration
//   off the beat    the first of the others comes behind fewer than k turns, or the run ends with
//                   some of the k: k iterations ("if i % 5 == 0")
//   two and on it   two turns are delayed updates, of which two is the usual delay
//   more and on it  an inner loop ("five critics to one generator")
// Where the others come first in the run they belong to the turn behind them, else to the one
// before.
#pragma once

#include <cstddef>
#include <vector>

#include "core/steps/finders/optimizer/turns.hpp"

namespace stepscope {

// Whether the turn behind those that seem to share its batch has a batch of its own.
bool next_has_own_batch(const Activity& activity, const std::vector<Turn>& turns,
                        const std::vector<bool>& shared, const std::vector<RangeId>& fetches);

// Turns that have an iteration in common with the turn behind them; empty where the cycle is one
// iteration. `cycle`: that of turns_per_iteration.
std::vector<bool> delayed_turns(const Activity& activity, const std::vector<Turn>& turns,
                                std::size_t cycle, const std::vector<RangeId>& fetches);

}  // namespace stepscope
