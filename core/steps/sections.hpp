// SPDX-License-Identifier: Apache-2.0
// Sections: the loops that a program runs one after the other (training, then an evaluation).
//
// The first loop found is the one that a report without a choice would take of the whole run. What
// lies before and behind it is searched in the same way, and so on. Sections do not overlap; what is
// in none is start-up, saving, and work that does not repeat.
//
// The longest is the first, not counting what compiles in it: JAX's start-up calls small
// executables between compilations of a second. One that compiles or tunes to its end (XLA
// tries kernels for 20 s, a training of a second follows) is behind all others, and so is one that
// runs before the first of the program's own loops that trains, and does not train itself. A loop
// that trains goes before one that does not, unless that takes over twice its time: so that two of
// nearly the same length keep their order from run to run.
#pragma once

#include <vector>

#include "core/steps/finders/finders.hpp"

namespace stepscope {

// Returns whether optimizers step, or gradients are computed, while the loop runs.
bool trains(const Activity& activity, const Loop& loop);

// Returns the loops in order; their others are the section's further divisions. `first` is what
// find_loop finds in the whole run. Empty where nothing repeats.
std::vector<Loop> find_section_loops(const Activity& activity, const Loop& first);

// Returns the sections as a report lists them.
std::vector<Section> sections_of(const Activity& activity, const std::vector<Loop>& loops);

}  // namespace stepscope
