// SPDX-License-Identifier: Apache-2.0
// What sets the optimised training apart from the baseline, each a switch of its own. All but
// larger_batch train the same samples in the same steps: losses are the baseline's up to rounding.
#pragma once

#include "reference_trainers/common/switches.hpp"

namespace stepscope::token_pipeline {

struct Fixes {
  bool vectorised = false;
  bool preallocated_collate = false;
  bool workers = false;
  bool persistent_workers = false;
  bool pinned = false;
  bool prefetch = false;
  bool bucketing = false;
  bool larger_batch = false;
};

// Returns the fixes in the order of the ladder: what hides the others comes first. larger_batch
// trains something else, and so stands beside the ladder.
const trainers::Switches<Fixes>& all_fixes();

// Everything on the ladder.
Fixes every_fix();

}  // namespace stepscope::token_pipeline
