// SPDX-License-Identifier: Apache-2.0
// Every step as a bar of its parts, so that what is periodic, what warms up and what is long shows.
//
// The picture is as wide as the page and 160 high: x is stretched, y is not. Of more steps than
// kMostBars, each bar is the longest of as many neighbours as are needed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/support/duration.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"
#include "reports/wording/trust.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostBars = 800;
constexpr double kHeight = 160;
constexpr std::size_t kMostPartsTold = 4;
constexpr std::size_t kMostGapped = 300;  // bars with room between them

struct Strip {
  const Report& report;
  std::vector<std::size_t> shown;  // rows of steps.list
  std::vector<bool> counted;       // by row of steps.list
  std::size_t steps_a_bar = 1;
  double top_ns = 1;  // what the height stands for; longer steps are cut there
};

const Step& step_at(const Strip& strip, std::size_t bar) {
  return strip.report.summary.steps.list[strip.shown[bar]];
}

double wall_of(const Strip& strip, std::size_t bar) {
  return static_cast<double>(std::max<std::int64_t>(0, step_at(strip, bar).wall_ns()));
}

std::vector<std::size_t> longest_of_neighbours(const std::vector<Step>& list, std::size_t each) {
  std::vector<std::size_t> rows;
  for (std::size_t begin = 0; begin < list.size(); begin += each) {
    std::size_t longest = begin;
    for (std::size_t i = begin; i < std::min(list.size(), begin + each); ++i) {
      if (list[i].wall_ns() > list[longest].wall_ns()) longest = i;
    }
    rows.push_back(longest);
  }
  return rows;
}

// Twice the time that nine of ten steps stay below, or the longest step's where that is less: a
// single long step must not flatten all others.
double top_of(const Strip& strip) {
  const double p90 = static_cast<double>(strip.report.summary.partition.p90_ns);
  double longest = 1;
  for (std::size_t bar = 0; bar < strip.shown.size(); ++bar)
    longest = std::max(longest, wall_of(strip, bar));
  return p90 > 0 ? std::min(longest, 2 * p90) : longest;
}

Strip strip_of(const Report& report) {
  const std::vector<Step>& list = report.summary.steps.list;
  Strip strip{report, {}, std::vector<bool>(list.size(), false)};
  for (const std::uint32_t row : report.summary.counted) strip.counted[row] = true;
  strip.steps_a_bar = (list.size() + kMostBars - 1) / kMostBars;
  strip.shown = longest_of_neighbours(list, std::max<std::size_t>(1, strip.steps_a_bar));
  strip.top_ns = top_of(strip);
  return strip;
}

std::string bar_path(const Strip& strip, std::size_t bar, double from_ns, double to_ns) {
  const double y_top = kHeight * (1 - std::min(1.0, to_ns / strip.top_ns));
  const double y_low = kHeight * (1 - std::min(1.0, from_ns / strip.top_ns));
  if (y_low - y_top < 0.05) return "";
  const double gap = strip.shown.size() <= kMostGapped ? 0.1 : 0;
  return fmt::format("M{} {:.1f}h{}V{:.1f}h-{}z", static_cast<double>(bar) + gap / 2, y_low,
                     1 - gap, y_top, 1 - gap);
}

// One path a family, of counted steps or of the others: small, however many the steps.
using Paths = std::map<std::pair<CauseFamily, bool>, std::string>;

void add_bar(Paths& paths, const Strip& strip, std::size_t bar) {
  const PerCause<std::int64_t>& parts = strip.report.summary.step_parts[strip.shown[bar]];
  const bool is_counted = strip.counted[strip.shown[bar]];
  double from_ns = 0;
  for (const CauseFamily family : kCauseFamilies) {
    std::int64_t ns = 0;
    for (std::size_t i = 0; i < kCauseCount; ++i) {
      if (family_of(static_cast<Cause>(i)) == family) ns += parts[i];
    }
    const double to_ns = from_ns + static_cast<double>(ns);
    paths[{family, is_counted}] += bar_path(strip, bar, from_ns, to_ns);
    from_ns = to_ns;
  }
}

Markup drawn(const Strip& strip) {
  Paths paths;
  for (std::size_t bar = 0; bar < strip.shown.size(); ++bar) add_bar(paths, strip, bar);
  Markup out;
  for (const auto& [key, path] : paths) {
    if (path.empty()) continue;
    out += empty_element("path", {{"class", key.second ? "" : "uncounted"},
                                  {"fill", fmt::format("url(#p-{})", name_of(key.first))},
                                  {"d", path}}) +
           Markup("\n");
  }
  return out;
}

// Bars that are longer than the picture is high.
Markup cut_marks(const Strip& strip) {
  std::string path;
  for (std::size_t bar = 0; bar < strip.shown.size(); ++bar) {
    if (wall_of(strip, bar) > strip.top_ns * 1.0001) path += fmt::format("M{} 7h1l-.5 -6z", bar);
  }
  return path.empty() ? Markup() : empty_element("path", {{"class", "cut"}, {"d", path}});
}

std::string parts_told(const PerCause<std::int64_t>& parts) {
  std::vector<std::pair<std::int64_t, Cause>> order;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    if (parts[i] > 0) order.emplace_back(parts[i], static_cast<Cause>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [ns, cause] = order[i];
    if (i >= kMostPartsTold)
      rest += ns;
    else
      out += fmt::format("{}{} {}", i == 0 ? "" : ", ", name_of(cause),
                         format_duration(static_cast<double>(ns)));
  }
  if (rest > 0) out += fmt::format(", other {}", format_duration(static_cast<double>(rest)));
  return out;
}

std::string told(const Strip& strip, std::size_t bar) {
  const Step& step = step_at(strip, bar);
  std::string out = fmt::format("step {}: ", step.id);
  if (!step.wall_known) return out + "the trace ends before its work does";
  out += format_duration(wall_of(strip, bar));
  if (!strip.counted[strip.shown[bar]]) {
    out += ", not counted";
    if (!step.why_not_steady.empty()) out += " (" + step.why_not_steady + ")";
  }
  const std::string parts = parts_told(strip.report.summary.step_parts[strip.shown[bar]]);
  return parts.empty() ? out : out + "; " + parts;
}

Markup hover_areas(const Strip& strip) {
  Markup out;
  for (std::size_t bar = 0; bar < strip.shown.size(); ++bar) {
    out += element(
               "rect",
               {{"x", std::to_string(bar)}, {"width", "1"}, {"height", fmt::format("{}", kHeight)}},
               element("title", text(told(strip, bar)))) +
           Markup("\n");
  }
  return element("g", {{"class", "hover"}}, out);
}

Markup picture(const Strip& strip) {
  const Markup content = drawn(strip) + cut_marks(strip) + hover_areas(strip);
  return element("svg",
                 {{"class", "strip"},
                  {"viewBox", fmt::format("0 0 {} {}", strip.shown.size(), kHeight)},
                  {"preserveAspectRatio", "none"},
                  {"style", fmt::format("max-width:{}rem", 6 * strip.shown.size())},
                  {"role", "img"},
                  {"tabindex", "0"},
                  {"aria-label", "Wall time of each step by what owned it"}},
                 content);
}

Markup axis(const Strip& strip) {
  const Markup top = element("span", text(format_duration(strip.top_ns)));
  const Markup half = element("span", text(format_duration(strip.top_ns / 2)));
  return element("div", {{"class", "axis"}}, top + half + element("span", Markup("0")));
}

std::string caption(const Strip& strip) {
  const std::vector<Step>& list = strip.report.summary.steps.list;
  std::string out = fmt::format("Steps {} to {}, left to right", list.front().id, list.back().id);
  if (strip.steps_a_bar > 1)
    out += fmt::format("; each bar is the longest of {} neighbours", strip.steps_a_bar);
  const bool is_cut = !cut_marks(strip).empty();
  if (is_cut) out += fmt::format("; bars with a tip are cut at {}", format_duration(strip.top_ns));
  const bool all =
      std::find(strip.counted.begin(), strip.counted.end(), false) == strip.counted.end();
  if (!all) out += "; pale steps are not counted";
  return out + ".";
}

}  // namespace

Markup steps(const Report& report) {
  const Steps& found = report.summary.steps;
  Markup content;
  if (!found.list.empty() && report.summary.step_parts.size() == found.list.size()) {
    const Strip strip = strip_of(report);
    content += element("div", {{"class", "stripbox"}}, axis(strip) + picture(strip));
    content += element("p", {{"class", "readout"}, {"aria-live", "polite"}}, text(caption(strip)));
  }
  content += element("p", text(steps_text(report)));
  for (const std::string& sentence : found.notes) content += element("p", text(sentence));
  return section(report.id("steps"), "Steps", content, true);
}

}  // namespace stepscope::html
