// SPDX-License-Identifier: Apache-2.0
// Advice in the terms of the library that runs the training loop. A program that hands its model to a
// trainer has no DataLoader, autocast or optimizer of its own to change: it has the trainer's arguments.
#pragma once

#include <cstdint>
#include <string>

#include "core/model/trace.hpp"

namespace stepscope::rules {

enum class Trainer : std::uint8_t { none, transformers, lightning };

// Returns the library whose loop the program runs, by the files of its lines.
Trainer trainer_of(const Trace& trace);

// Returns a hint in Python with the trainer's arguments in place of PyTorch's calls. Lines that a program
// under this trainer has no place for are left out.
std::string for_trainer(std::string hint, Trainer trainer);

}  // namespace stepscope::rules
