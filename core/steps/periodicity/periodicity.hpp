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

namespace stepscope {

inline constexpr double kLeastExplained = 0.6;
inline constexpr double kLeastOfTraining = 0.4;

Loop find_period(const Activity& activity);

}  // namespace stepscope
