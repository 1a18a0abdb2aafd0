// SPDX-License-Identifier: Apache-2.0
// The picture of all steps, a bar each. Internal to reports/html.
//
// It is as wide as the page and 160 high: x is stretched, y is not. Bars are one path a family, of
// counted steps and of the others, so that the page stays small however many steps there are.
#pragma once

#include <algorithm>
#include <vector>

#include "reports/html/sections.hpp"

namespace stepscope::html {

struct Strip {
  const Report& report;
  std::vector<std::size_t> shown;  // rows of steps.list
  std::vector<bool> counted;       // by row of steps.list
  std::size_t steps_a_bar = 1;
  double top_ns = 1;  // what the height stands for; longer steps are cut there
};

inline const Step& step_at(const Strip& strip, std::size_t bar) {
  return strip.report.scale.summary.steps.list[strip.shown[bar]];
}

inline double wall_of(const Strip& strip, std::size_t bar) {
  return static_cast<double>(std::max<std::int64_t>(0, step_at(strip, bar).wall_ns()));
}

bool has_cut_bars(const Strip& strip);
Markup strip_picture(const Strip& strip);  // with its axis

}  // namespace stepscope::html
