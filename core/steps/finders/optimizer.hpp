// SPDX-License-Identifier: Apache-2.0
// Optimizer.step#NAME.step scopes (PyTorch marks them in every traced run, C++ optimizers do not).
// A step ends where its last optimizer does and begins where the one before ended, so gradient
// accumulation and everything else between two optimizer steps is one step. Several optimizer steps
// are one iteration if hardly any work lies between them, or if they come in a cycle (turns.hpp).
//
// This serves where the program's own loops were not noted: traces of other tools, other Pythons.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_optimizer_steps(const Activity& activity);

}  // namespace stepscope
