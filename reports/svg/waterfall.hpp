// SPDX-License-Identifier: Apache-2.0
// How A's step becomes B's, as a picture: A's bar, one bar a part that begins where the one before
// ended, B's bar. The bars sum exactly: each says its nanoseconds in data-ns, and the parts that
// get no bar of their own are one bar together.
//
// Labels, bars and values have a column each, so that nothing crosses a text however wide the
// picture is drawn: bars stretch with it, letters and rows keep their size. Where the parts are
// small beside the step, the axis does not begin at 0, and the picture says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/comparison.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope {

struct WaterfallBar {
  std::string label;
  std::string title;  // shown on hovering
  std::int64_t delta_ns = 0;
};

// Totals over `steps` steps of each side; a_ns + the deltas of all bars = b_ns.
struct Waterfall {
  std::int64_t a_ns = 0;
  std::int64_t b_ns = 0;
  std::uint64_t steps = 1;
  std::vector<WaterfallBar> bars;
};

inline constexpr std::size_t kMostWaterfallBars = 10;

// A bar a group of parts that match each other; coarser where those are so many that the rest would
// be the largest bar: a cause's line, a cause's phase, a cause. No bars where the comparison shows
// no tables.
Waterfall waterfall_of(const Comparison& comparison, std::size_t most = kMostWaterfallBars);

// For a page, whose style sheet colours it, as wide as there is room.
Markup waterfall_markup(const Waterfall& waterfall);

// Returns a picture of its own: a whole .svg file, light or dark as its viewer is. For runs that
// are not comparable it says why.
std::string svg_waterfall(const Comparison& comparison);

}  // namespace stepscope
