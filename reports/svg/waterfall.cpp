// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/waterfall.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/support/duration.hpp"
#include "reports/svg/chart_marks.hpp"

namespace stepscope {
namespace {

constexpr int kWidth = 760;  // width of a picture that stands alone
constexpr double kMargin = 10;
constexpr double kTop = 4;
constexpr double kRowHeight = 26;
constexpr double kTextBase = 18;  // height in a row on which its text stands
constexpr double kBarTop = 7;
constexpr double kBarHeight = 14;
constexpr double kLeastBar = 0.15;         // percent
constexpr std::size_t kLabelColumns = 45;  // columns of labels in a picture that stands alone
constexpr std::size_t kLongestLabel = 56;  // columns of labels in a page, which may be wide
constexpr std::size_t kNoteColumns = 76;

// The columns, as shares of the width.
constexpr const char* kLabels = "44%";
constexpr const char* kBarsBegin = "45%";
constexpr const char* kBars = "34%";
constexpr const char* kValuesEnd = "99%";

// Where a step time stands in the column of bars.
struct Axis {
  double low_ns = 0;  // at its left
  double high_ns = 1;

  double percent(double ns) const { return 100 * (ns - low_ns) / (high_ns - low_ns); }
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

std::string percent(double value) {
  return fmt::format("{:.3f}%", value);
}

Markup label_of(const Row& row, double y, std::size_t most) {
  std::string shown = printable(row.label);
  std::replace(shown.begin(), shown.end(), '\n', ' ');
  return element("text", {{"class", "label"}, {"x", number(kMargin)}, {"y", number(y + kTextBase)}},
                 element("title", text(row.title)) + text(shortened(shown, most)));
}

Markup value_of(const Row& row, double y) {
  return element(
      "text",
      {{"class", "value"}, {"text-anchor", "end"}, {"x", kValuesEnd}, {"y", number(y + kTextBase)}},
      text(row.value));
}

Markup bar_of(const Row& row, const Axis& axis, double y) {
  const double from = std::max(0.0, axis.percent(std::min(row.from_ns, row.to_ns)));
  const double to = axis.percent(std::max(row.from_ns, row.to_ns));
  return element("rect",
                 {{"class", std::string(row.css)},
                  {"x", percent(std::min(from, 100 - kLeastBar))},
                  {"y", number(y + kBarTop)},
                  {"width", percent(std::max(kLeastBar, to - from))},
                  {"height", number(kBarHeight)},
                  {"data-ns", std::to_string(row.ns)}},
                 element("title", text(row.title)));
}

// From the end of a bar down to where the next begins.
Markup link_below(const Row& row, const Axis& axis, double y) {
  const std::string x = percent(axis.percent(row.to_ns));
  return empty_element("line", {{"class", "link"},
                                {"x1", x},
                                {"x2", x},
                                {"y1", number(y + kBarTop + kBarHeight)},
                                {"y2", number(y + kRowHeight + kBarTop)}});
}

// A bar that begins before the picture does.
Markup torn_edge(const Axis& axis, double y) {
  if (axis.low_ns <= 0) return {};
  return empty_element(
      "path", {{"class", "torn"},
               {"d", fmt::format("M14 {}l4 5l-6 6l4 7h4l-4 -7l6 -6l-4 -5z", y + kBarTop - 2)}});
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

// A part of the picture that shows nothing beyond its own edges.
Markup column(const char* css, const char* x, const char* width, double height,
              const Markup& content) {
  return element(
      "svg",
      {{"class", css}, {"x", x}, {"width", width}, {"height", fmt::format("{:.0f}", height)}},
      content);
}

Markup drawn(const Waterfall& waterfall, std::size_t most_letters, double& height) {
  const Axis axis = axis_of(waterfall);
  const std::vector<Row> rows = rows_of(waterfall);
  Markup labels, bars, values;
  double y = kTop;
  for (std::size_t i = 0; i < rows.size(); ++i, y += kRowHeight) {
    labels += label_of(rows[i], y, most_letters) + Markup("\n");
    values += value_of(rows[i], y) + Markup("\n");
    if (i + 1 < rows.size()) bars += link_below(rows[i], axis, y);
    bars += bar_of(rows[i], axis, y) + Markup("\n");
    if (rows[i].css == "total") bars += torn_edge(axis, y);
  }
  Markup out = stripes() + column("labels", "0", kLabels, y, labels) +
               column("bars", kBarsBegin, kBars, y, bars) + values;
  if (axis.low_ns > 0) {
    const double steps = static_cast<double>(std::max<std::uint64_t>(1, waterfall.steps));
    out += element(
        "text", {{"class", "note"}, {"x", number(kMargin)}, {"y", number(y + kTextBase)}},
        text(fmt::format("The bars begin at {}, not at 0.", format_duration(axis.low_ns / steps))));
    y += kTextBase + 6;
  }
  height = y + 4;
  return out;
}

// `width`: pixels across; 0: as wide as there is room.
Markup svg(const Markup& content, double height, int width) {
  const std::string high = fmt::format("{:.0f}", height);
  return element("svg",
                 {{"xmlns", "http://www.w3.org/2000/svg"},
                  {"class", "waterfall"},
                  {"viewBox", width > 0 ? fmt::format("0 0 {} {}", width, high) : ""},
                  {"width", width > 0 ? std::to_string(width) : "100%"},
                  {"height", high},
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
  const Markup content = drawn(waterfall, kLongestLabel, height);
  return element("div", {{"class", "scroll"}, {"tabindex", "0"}}, svg(content, height, 0));
}

std::string svg_waterfall(const Comparison& comparison) {
  double height = 0;
  const Markup content = comparison.shown() ? drawn(waterfall_of(comparison), kLabelColumns, height)
                                            : not_comparable(comparison, height);
  const Markup ground =
      empty_element("rect", {{"class", "ground"}, {"width", "100%"}, {"height", "100%"}});
  const Markup style = element("style", Markup::trusted(std::string(kWaterfallStyle)));
  return svg(style + ground + content, height, kWidth).str() + "\n";
}

}  // namespace stepscope
