// SPDX-License-Identifier: Apache-2.0
// Optimizer.step#NAME.step scopes (PyTorch marks them in every traced run, C++ optimizers do not).
// A step ends where its last optimizer does and begins where the one before ended, so gradient
// accumulation and everything else between two optimizer steps is one step.
//
// Several optimizers in one iteration are one step:
//   back to back      with hardly any work between them
//   in turns          a cycle of scopes that differ in what they do (a GAN's discriminator and
//   generator):
//                     other scope name, other work inside, another number of backward nodes, or
//                     work that neither contains the other's (an evaluation does: it only adds)
//   now and then      an optimizer that steps in every k-th iteration only (delayed_turns.hpp)
//   per batch         two or three scopes in every DataLoader batch
// An iteration that skips its optimizer (a gradient scaler that met an overflow) still calls
// zero_grad: a stretch with j times the usual number of those and a backward pass each is j steps.
#pragma once

#include "core/steps/finders/loop.hpp"

namespace stepscope {

Loop find_optimizer_steps(const Activity& activity);

}  // namespace stepscope
