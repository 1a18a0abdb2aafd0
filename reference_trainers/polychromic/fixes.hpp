// SPDX-License-Identifier: Apache-2.0
// What sets the optimised training apart from the baseline, each a switch of its own. All draw the
// same replies from the same random numbers, and losses are the baseline's, up to rounding.
#pragma once

#include "reference_trainers/common/switches.hpp"

namespace stepscope::polychromic {

struct Fixes {
  bool batched_generation = false;
  bool decode_graph = false;
  bool flash_attention = false;
  bool batched_encoding = false;
  bool pairwise_cosine = false;
  bool fused_pass = false;
};

// Returns the fixes in the order of the ladder.
const trainers::Switches<Fixes>& all_fixes();

// Returns all of them switched on.
Fixes every_fix();

}  // namespace stepscope::polychromic
