// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/chart_marks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope::chart_marks {

std::string pixels(double value) {
  return fmt::format("{:.2f}", value);
}

Markup words(std::string_view css, double x, double y, std::string_view content,
             std::string_view anchor) {
  return element("text",
                 {{"class", std::string(css)},
                  {"x", pixels(x)},
                  {"y", pixels(y)},
                  {"text-anchor", std::string(anchor)}},
                 text(content));
}

Markup box(std::string_view css, double x, double y, double width, double height,
           const std::string& title) {
  return element("rect",
                 {{"class", std::string(css)},
                  {"x", pixels(x)},
                  {"y", pixels(y)},
                  {"width", pixels(std::max(0.0, width))},
                  {"height", pixels(height)}},
                 element("title", text(title)));
}

Markup path(std::string_view css, const std::string& data) {
  return empty_element("path", {{"class", std::string(css)}, {"d", data}});
}

Markup dot(std::string_view css, double x, double y, double radius, const std::string& title) {
  return element(
      "circle",
      {{"class", std::string(css)}, {"cx", pixels(x)}, {"cy", pixels(y)}, {"r", pixels(radius)}},
      element("title", text(title)));
}

Markup picture(double height, const std::string& label, const Markup& content) {
  const Markup ground =
      empty_element("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}});
  const Markup style = element("style", Markup::trusted(std::string(kLadderStyle)));
  return element("svg",
                 {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"class", "ladder"},
                  {"viewBox", fmt::format("0 0 {} {}", kChartWidth, height)},
                  {"width", fmt::format("{:.0f}", kChartWidth)},
                  {"height", fmt::format("{:.0f}", height)},
                  {"role", "img"},
                  {"aria-label", label}},
                 style + ground + content);
}

}  // namespace stepscope::chart_marks
