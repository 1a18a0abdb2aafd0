// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/waterfall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/support/duration.hpp"
#include "reports/svg/waterfall_style.hpp"
#include "reports/wording/diff_words.hpp"
#include "reports/wording/names.hpp"

namespace stepscope {
namespace {

constexpr double kWidth = 480;
constexpr double kMargin = 10;
constexpr double kTop = 4;
constexpr double kRowHeight = 38;
constexpr double kTextBase = 14;  // of a row: its text stands on it
constexpr double kBarTop = 19;
constexpr double kBarHeight = 13;
constexpr std::size_t kLabelColumns = 44;
constexpr std::size_t kNoteColumns = 76;

// Where a step time stands in the picture.
struct Axis {
  double low_ns = 0;  // at the left margin
  double high_ns = 1;

  double x(double ns) const {
    return kMargin + (kWidth - 2 * kMargin) * (ns - low_ns) / (high_ns - low_ns);
  }
};

// From 0, unless all that happens lies in the upper half: then a quarter of what happens is left
// free on the left.
Axis axis_of(const Waterfall& waterfall) {
  std::int64_t at = waterfall.a_ns;
  std::int64_t lowest = std::min(at, waterfall.b_ns);
  std::int64_t highest = std::max(at, waterfall.b_ns);
  for (const WaterfallBar& bar : waterfall.bars) {
    at += bar.delta_ns;
    lowest = std::min(lowest, at);
    highest = std::max(highest, at);
  }
  Axis axis{0, static_cast<double>(std::max<std::int64_t>(1, highest))};
  const double low = static_cast<double>(lowest);
  if (lowest < highest && low > 0.5 * axis.high_ns) axis.low_ns = low - 0.25 * (axis.high_ns - low);
  if (lowest < 0) axis.low_ns = low;
  return axis;
}

// What a row is drawn from.
struct Row {
  std::string_view css;
  std::string label;
  std::string value;
  std::string title;
  std::int64_t ns = 0;  // what data-ns says
  double from_ns = 0;
  double to_ns = 0;
};

std::string number(double value) {
  return fmt::format("{:.2f}", value);
}

Markup label_of(const Row& row, double y) {
  std::string shown = printable(row.label);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return element("text", {{"class", "label"}, {"x", number(kMargin)}, {"y", number(y + kTextBase)}},
                 text(shortened(shown, kLabelColumns))) +
         element("text",
                 {{"class", "value"},
                  {"text-anchor", "end"},
                  {"x", number(kWidth - kMargin)},
                  {"y", number(y + kTextBase)}},
                 text(row.value));
}

Markup bar_of(const Row& row, const Axis& axis, double y) {
  const double from = std::max(kMargin, axis.x(std::min(row.from_ns, row.to_ns)));
  const double to = axis.x(std::max(row.from_ns, row.to_ns));
  return element("rect",
                 {{"class", std::string(row.css)},
                  {"x", number(from)},
                  {"y", number(y + kBarTop)},
                  {"width", number(std::max(0.5, to - from))},
                  {"height", number(kBarHeight)},
                  {"data-ns", std::to_string(row.ns)}},
                 element("title", text(row.title)));
}

// From the end of a bar down to where the next begins.
Markup link_below(const Row& row, const Axis& axis, double y) {
  const double x = axis.x(row.to_ns);
  return empty_element("path",
                       {{"class", "link"},
                        {"d", fmt::format("M{:.2f} {:.2f}V{:.2f}", x, y + kBarTop + kBarHeight,
                                          y + kRowHeight + kBarTop)}});
}

// A bar that begins before the picture does.
Markup torn_edge(const Axis& axis, double y) {
  if (axis.low_ns <= 0) return {};
  const double x = kMargin + 14;
  const double top = y + kBarTop - 2;
  return empty_element(
      "path",
      {{"class", "torn"}, {"d", fmt::format("M{} {}l4 5l-6 6l4 6h4l-4 -6l6 -6l-4 -5z", x, top)}});
}

std::string exact_total(std::int64_t ns, std::uint64_t steps) {
  return fmt::format("{} ns over {} step{}", format_exact(ns), steps, steps == 1 ? "" : "s");
}

std::vector<Row> rows_of(const Waterfall& waterfall) {
  const double steps = static_cast<double>(std::max<std::uint64_t>(1, waterfall.steps));
  const TimeUnit unit = unit_for_step(static_cast<double>(waterfall.a_ns) / steps);
  const auto total = [&](std::string_view label, std::int64_t ns) {
    const double at = static_cast<double>(ns);
    return Row{"total",
               std::string(label),
               format_time(at / steps, unit) + " " + std::string(unit.name),
               exact_total(ns, waterfall.steps),
               ns,
               0,
               at};
  };
  std::vector<Row> rows = {total("A's step", waterfall.a_ns)};
  std::int64_t at = waterfall.a_ns;
  for (const WaterfallBar& bar : waterfall.bars) {
    const double change = static_cast<double>(bar.delta_ns) /
                          static_cast<double>(std::max<std::int64_t>(1, waterfall.a_ns));
    const std::string value =
        fmt::format("{} {}, {}", format_difference(static_cast<double>(bar.delta_ns) / steps, unit),
                    unit.name, format_change(change));
    const std::string title = (bar.title.empty() ? bar.label : bar.title) + ": " +
                              exact_total(bar.delta_ns, waterfall.steps);
    rows.push_back({bar.delta_ns < 0 ? "better" : "worse", bar.label, value, title, bar.delta_ns,
                    static_cast<double>(at), static_cast<double>(at + bar.delta_ns)});
    at += bar.delta_ns;
  }
  rows.push_back(total("B's step", waterfall.b_ns));
  return rows;
}

// Stripes mark what takes longer, beside its colour and its sign.
Markup stripes() {
  const Markup ground =
      empty_element("rect", {{"class", "worse-ground"}, {"width", "6"}, {"height", "6"}});
  const Markup line =
      empty_element("path", {{"class", "worse-line"}, {"d", "M-1 1l2 -2M0 6l6 -6M5 7l2 -2"}});
  return element("defs", element("pattern",
                                 {{"id", "waterfall-worse"},
                                  {"width", "6"},
                                  {"height", "6"},
                                  {"patternUnits", "userSpaceOnUse"}},
                                 ground + line));
}

Markup drawn(const Waterfall& waterfall, double& height) {
  const Axis axis = axis_of(waterfall);
  const std::vector<Row> rows = rows_of(waterfall);
  Markup out = stripes();
  double y = kTop;
  for (std::size_t i = 0; i < rows.size(); ++i, y += kRowHeight) {
    if (i + 1 < rows.size()) out += link_below(rows[i], axis, y);
    out += bar_of(rows[i], axis, y) + label_of(rows[i], y) + Markup("\n");
    if (rows[i].css == "total") out += torn_edge(axis, y);
  }
  if (axis.low_ns > 0) {
    const double steps = static_cast<double>(std::max<std::uint64_t>(1, waterfall.steps));
    out +=
        element("text", {{"class", "note"}, {"x", number(kMargin)}, {"y", number(y + kTextBase)}},
                text(fmt::format("The picture begins at {}, not at 0.",
                                 format_duration(axis.low_ns / steps))));
    y += kTextBase + 6;
  }
  height = y + 4;
  return out;
}

// `size`: pixels across, 0: as wide as there is room.
Markup svg(const Markup& content, double height, int size) {
  return element("svg",
                 {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"class", "waterfall"},
                  {"viewBox", fmt::format("0 0 {} {}", kWidth, height)},
                  {"width", size > 0 ? std::to_string(size) : ""},
                  {"height", size > 0 ? fmt::format("{:.0f}", size * height / kWidth) : ""},
                  {"role", "img"},
                  {"aria-label", "How A's step becomes B's, part by part"}},
                 content);
}

// The reasons, each a line.
Markup not_comparable(const Comparison& comparison, double& height) {
  Markup out;
  height = kTop;
  const auto line = [&](std::string_view css, std::string_view words) {
    height += kTextBase + 6;
    out += element("text",
                   {{"class", std::string(css)}, {"x", number(kMargin)}, {"y", number(height)}},
                   text(shortened(words, kNoteColumns)));
  };
  line("label", "Not comparable");
  for (const std::string& why : comparison.why_not) line("note", why);
  height += kTop + 6;
  return out;
}

}  // namespace

Markup waterfall_markup(const Waterfall& waterfall) {
  double height = 0;
  const Markup content = drawn(waterfall, height);
  return svg(content, height, 0);
}

std::string svg_waterfall(const Comparison& comparison) {
  double height = 0;
  const Markup content = comparison.shown() ? drawn(waterfall_of(comparison), height)
                                            : not_comparable(comparison, height);
  const Markup ground =
      empty_element("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}});
  const Markup style = element("style", Markup::trusted(std::string(kWaterfallStyle)));
  return svg(style + ground + content, height, 720).str() + "\n";
}

}  // namespace stepscope
