// SPDX-License-Identifier: Apache-2.0
// The part of a process's work that a loop's period is read from: one stream or thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/steps/activity.hpp"
#include "core/steps/periodicity/repeats.hpp"

namespace stepscope {

// The items of the lane (stream or thread) with most work, with tokens numbered from 0.
struct Lane {
  std::vector<WorkItem> items;
  std::vector<std::uint32_t> tokens;
  std::vector<std::string_view> names;  // by token
};

// Autograd's own threads repeat by layer and hold no optimizer: their items do not count.
Lane busiest_lane(const Activity& activity);

// Optimizer (by name), backward pass (by name or an autograd node begun before the item); where the
// run has neither, copies from and to the host. Required are those that occur at all.
inline constexpr std::uint8_t kOptimizer = 1;
inline constexpr std::uint8_t kBackward = 2;
inline constexpr std::uint8_t kHostCopy = 4;
Evidence evidence_in(const Activity& activity, const Lane& lane);

}  // namespace stepscope
