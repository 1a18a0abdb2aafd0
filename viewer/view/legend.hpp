// SPDX-License-Identifier: Apache-2.0
// What the colours of the band of owners mean.
#pragma once

#include <vector>

#include "viewer/view/desk.hpp"

namespace stepscope::viewer {

// The causes that are on screen, in the order of what they own of a step.
std::vector<Cause> legend_of(const Desk& desk, const PerCause<bool>& on_screen);

// Returns how many items of these widths fit into the room; where not all do, `more` behind them
// does, too.
std::size_t items_that_fit(const std::vector<float>& widths, float room, float more);

}  // namespace stepscope::viewer
