// SPDX-License-Identifier: Apache-2.0
// The charts of a ladder, for pages and alone.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"
#include "core/ladder/orders.hpp"
#include "core/ladder/sweep.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope {

// A ladder as a picture: a row a rung, its bar of tokens/s with the interval of its repeats, and
// below it the time of a token by family of cause, which shrinks from rung to rung. All rows have
// the same two scales. Stands alone, light or dark as its viewer is.

// For a ladder where nothing ran, the picture is a line that says so.
Markup ladder_chart(const Ladder& ladder);
std::string svg_ladder(const Ladder& ladder);

// Pictures of what rungs bring whatever their order, and of a few rungs at several micro-batches.
// Each stands alone, light or dark as its viewer is.

// A row a rung: a bar of its share on a logarithmic axis, a line over its gains on all subsets of
// the others, a ring where it is alone and a dot where it is behind all others.
Markup orders_chart(const RungOrders& orders);
// A line a rung of tokens/s, with the interval of its repeats; the micro-batches at equal
// distances.
Markup sweep_chart(const LadderSweep& sweep);

std::string svg_orders(const RungOrders& orders);
std::string svg_sweep(const LadderSweep& sweep);

}  // namespace stepscope
