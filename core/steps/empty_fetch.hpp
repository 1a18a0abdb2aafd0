// SPDX-License-Identifier: Apache-2.0
// The fetch that finds a loader empty ends a loop over its batches, and stops the loader's workers.
// It comes behind the last step, and it is the loop's time.
#pragma once

#include <string_view>

#include "core/steps/finders/loop.hpp"

namespace stepscope {

// A call of `next` on an iterator of PyTorch's DataLoader.
bool is_loader_fetch(std::string_view name);

// Moves the end of the loop's last step behind such a fetch, if there is one: the next fetch behind
// the last step whose batch no work follows, or which came behind every n-th step before.
void add_empty_fetch(const Activity& activity, Loop& loop);

}  // namespace stepscope
