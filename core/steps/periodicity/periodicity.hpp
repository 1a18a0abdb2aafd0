// SPDX-License-Identifier: Apache-2.0
// Steps from the period of the launch sequence (of the busiest stream), or of the op sequence (of
// the busiest thread) where there is no device.
//
// Candidates are the levels that repeat (repeats.hpp) and explain at least kLeastExplained of the
// sequence (less where each unit holds both a backward pass and an optimizer: validation may fill
// the rest). The smallest unit wins in which nearly every repeat holds what an iteration does:
// backward pass and optimizer where the run has them, else a copy from or to the host. Without any
// of these, nested levels cannot be distinguished (layers, steps, steps with their evaluation): the
// one that explains most is taken and the confidence falls. At the edges a piece of at least half a
// unit is an incomplete step, a smaller one is no step.
#pragma once

#include "core/steps/finders/loop.hpp"
#include "core/steps/periodicity/lane.hpp"

namespace stepscope {

inline constexpr double kLeastExplained = 0.6;
inline constexpr double kLeastOfTraining = 0.4;

Loop find_period(const Activity& activity);

// Distinguishes a loop that does a little more every k-th iteration (it prints a loss every 20
// steps) from a loop of k inner turns (the layers of a model). In the first, what the longer unit
// holds beyond k shorter ones is little, and stands at lines of its own in functions that every
// shorter unit runs as well. Layers repeat in functions of their own, and what is around them is in
// others.

// Whether the longer units of `lane` are some shorter ones and rare lines beside them. False where
// the lines are not known.
bool adds_rare_lines(const Activity& activity, const Lane& lane, const RepeatLevel& shorter,
                     const RepeatLevel& longer);

}  // namespace stepscope
