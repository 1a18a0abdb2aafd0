// SPDX-License-Identifier: Apache-2.0
// A ladder as a picture: a row a rung, its bar of tokens/s with the interval of its repeats, and
// below it the time of a token by family of cause, which shrinks from rung to rung. All rows have
// the same two scales. Stands alone, light or dark as its viewer is.
#pragma once

#include <string>

#include "core/ladder/ladder.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope {

// For a ladder where nothing ran, the picture is a line that says so.
Markup ladder_chart(const Ladder& ladder);
std::string svg_ladder(const Ladder& ladder);

}  // namespace stepscope
