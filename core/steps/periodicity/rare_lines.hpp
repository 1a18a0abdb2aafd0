// SPDX-License-Identifier: Apache-2.0
// Distinguishes a loop that does a little more every k-th iteration (it prints a loss every 20
// steps) from a loop of k inner turns (the layers of a model). In the first, what the longer unit
// holds beyond k shorter ones is little, and stands at lines of its own in functions that every
// shorter unit runs as well. Layers repeat in functions of their own, and what is around them is in
// others.
#pragma once

#include "core/steps/periodicity/lane.hpp"

namespace stepscope {

// Whether the longer units of `lane` are some shorter ones and rare lines beside them. False where
// the lines are not known.
bool adds_rare_lines(const Activity& activity, const Lane& lane, const RepeatLevel& shorter,
                     const RepeatLevel& longer);

}  // namespace stepscope
