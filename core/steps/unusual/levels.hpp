// SPDX-License-Identifier: Apache-2.0
// Stretches of the run whose steps take another time than those before: models that one loop trains
// one after the other, stages of a curriculum, a machine that became slow.
//
// A boundary is where the ranks of the steps' times differ most between its two sides. Both sides are
// divided again, as long as a stretch has eight steps and a twentieth of the run at least. A stretch is
// then joined with the one before it, unless their medians differ by a quarter and nine tenths of one's
// steps are shorter than nine tenths of the other's. So steps that take turns, or that are long now and
// then, make no stretch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/steps/steps.hpp"

namespace stepscope {

struct Level {
  std::size_t first = 0, last = 0;  // places in the walls; both are of the stretch
  std::int64_t median_ns = 0;
};

// Returns the stretches in order, which hold all walls; one where the steps are of one level.
std::vector<Level> levels_of(const std::vector<std::int64_t>& walls);

// Adds a note for a reader, where the counted steps make several stretches.
void note_levels(Steps& steps);

}  // namespace stepscope
