// SPDX-License-Identifier: Apache-2.0
// Which consecutive stretches of a run are the turns of one iteration: two optimizers that follow
// each other in a cycle. See optimizer.hpp for when two stretches count as different.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/steps/activity.hpp"

namespace stepscope {

// One optimizer scope (or several back to back) with the work before it.
struct Turn {
  std::string_view name;
  Interval scope;    // the optimizer's own scope
  Interval stretch;  // from the end of the turn before to the end of the scope
};

// A number for each turn; equal where they are of one kind.
std::vector<std::size_t> kinds_of(const Activity& activity, const std::vector<Turn>& turns);

// The number of turns an iteration: 1 where all are alike or no cycle of at most kLongestCycle
// holds for nine tenths of the run.
inline constexpr std::size_t kLongestCycle = 16;
std::size_t turns_per_iteration(const Activity& activity, const std::vector<Turn>& turns);

// Turns that have an iteration in common with the turn behind them: of a cycle of one kind but for
// one turn ("every fifth iteration the critic first"), that one, where the turn behind it lacks
// what the others of its kind begin with and the odd one has done for both: the batch. A run that
// ends with the odd one has none behind it. Empty: none is. `cycle`: that of turns_per_iteration.
std::vector<bool> shared_with_next(const Activity& activity, const std::vector<Turn>& turns,
                                   std::size_t cycle);

}  // namespace stepscope
