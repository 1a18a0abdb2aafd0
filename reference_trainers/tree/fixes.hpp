// SPDX-License-Identifier: Apache-2.0
// What sets the optimised training apart from the baseline, each a switch of its own. On the ladder
// losses are the baseline's: up to rounding, and with mixed_precision up to that of bfloat16.
#pragma once

#include "reference_trainers/common/switches.hpp"

namespace stepscope::tree {

struct Fixes {
  bool rare_sync = false;
  bool cached_mask = false;
  bool foreach_norms = false;
  bool prefetch = false;
  bool eval_batch = false;
  bool recent_speed = false;
  bool cudnn_benchmark = false;
  bool mixed_precision = false;
  bool flash_attention = false;
  bool cuda_graph = false;
  bool clipping = false;
  bool batch_256 = false;
};

// Returns the fixes in the order of the ladder. clipping and batch_256 train something else, and so
// stand beside it.
const trainers::Switches<Fixes>& all_fixes();

// Everything on the ladder.
Fixes every_fix();

}  // namespace stepscope::tree
