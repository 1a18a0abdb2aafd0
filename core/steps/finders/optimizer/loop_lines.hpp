// SPDX-License-Identifier: Apache-2.0
// What the source lines of a loop's records show about its iterations. A record knows the innermost
// line of the user's code, so this rests on records in the loop's own function. Where lines are not
// known, nothing is concluded.
#pragma once

#include <vector>

#include "core/steps/finders/optimizer/turns.hpp"

namespace stepscope {

// Whether each turn of the cycle runs the same lines: several models that are trained in turns by
// the same code, each turn an iteration of its own. Two optimizers of one iteration have lines of
// their own before them, and an ensemble has the line that fetches the batch for all.
bool run_the_same_lines(const Activity& activity, ThreadId thread, const std::vector<Turn>& turns,
                        std::size_t cycle);

// Steps end with an optimizer's scope (`scopes`). What runs behind it, in its function and at later
// lines, before the loop comes round to an earlier line, is still of the iteration: a loss that is
// read, a cache that is emptied, an evaluation every 50 steps. Behind the last step only lines
// count that ran behind an earlier one; else what follows the loop would be in it. There samples
// tell as well, where Python alone runs (garbage is collected, a log is written); between two steps
// they do not, for where a look falls is chance, and would move the border by as much.
void add_later_lines(const Activity& activity, ThreadId thread, const std::vector<RangeId>& scopes,
                     std::vector<Interval>& steps);

}  // namespace stepscope
