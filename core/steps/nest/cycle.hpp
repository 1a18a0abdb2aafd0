// SPDX-License-Identifier: Apache-2.0
// What trains, as times: each line that steps an optimizer, or updates that are written by hand, and
// backward passes; where nothing does, the fetches of a loader.
#pragma once

#include <cstdint>
#include <vector>

#include "core/steps/activity.hpp"
#include "core/steps/nest/loop_nest.hpp"

namespace stepscope {

using Kind = std::vector<std::int64_t>;  // sorted

struct Cycle {
  ThreadId thread = 0;
  std::vector<Kind> kinds;  // optimizers or updates by hand, then backward passes
  std::size_t marking = 0;  // how many of them make a step: all but the passes, where there are any
  std::size_t optimizers = 0;
  bool steps_in_backward = false;  // hooks of the gradients step the optimizers
  Kind passes;                     // backward passes, by their rarest node
  Kind fetches;
};

Cycle cycle_of(const Activity& activity);

bool holds(Interval time, const Kind& kind);
// Whether one of the first so many kinds is in that time.
bool holds(Interval time, const Cycle& cycle, std::size_t kinds);

// Whether that time is in an iteration of the loop, or in the request that was its end.
bool asks_at(const NestLoop& loop, std::int64_t time);

std::size_t count_in(const NestLoop& loop, const Kind& times);

}  // namespace stepscope
