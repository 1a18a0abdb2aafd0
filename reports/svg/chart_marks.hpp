// SPDX-License-Identifier: Apache-2.0
// Marks of the ladder's pictures, in pixels from the left and the top.
#pragma once

#include <string>
#include <string_view>

#include "reports/markup/markup.hpp"

namespace stepscope::chart_marks {

inline constexpr double kChartWidth = 760;

std::string pixels(double value);
// `anchor`: start (default), middle or end.
Markup words(std::string_view css, double x, double y, std::string_view content,
             std::string_view anchor = "");
Markup box(std::string_view css, double x, double y, double width, double height,
           const std::string& title);
Markup path(std::string_view css, const std::string& data);
Markup dot(std::string_view css, double x, double y, double radius, const std::string& title);

// The whole picture with its style sheet; `label` is read out in its place.
Markup picture(double height, const std::string& label, const Markup& content);

}  // namespace stepscope::chart_marks

namespace stepscope {

// The style sheet of a ladder's picture, compiled in from reports/svg/ladder.css.

extern const std::string_view kLadderStyle;

// The style sheet of a waterfall that stands alone, compiled in from reports/svg/waterfall.css.

extern const std::string_view kWaterfallStyle;

}  // namespace stepscope
