// SPDX-License-Identifier: Apache-2.0
// Every step as a bar of its parts, so that what is periodic, what warms up and what is long shows.
//
// With more steps than kMostBars, each bar is the longest of as many neighbours as are needed.
#include <fmt/format.h>

#include <algorithm>

#include "core/support/duration.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"
#include "reports/html/step_strip.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostBars = 800;

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
  const double p90 = static_cast<double>(strip.report.scale.summary.partition.p90_ns);
  double longest = 1;
  for (std::size_t bar = 0; bar < strip.shown.size(); ++bar)
    longest = std::max(longest, wall_of(strip, bar));
  return p90 > 0 ? std::min(longest, 2 * p90) : longest;
}

Strip strip_of(const Report& report) {
  const std::vector<Step>& list = report.scale.summary.steps.list;
  Strip strip{report, {}, std::vector<bool>(list.size(), false)};
  for (const std::uint32_t row : report.scale.summary.counted) strip.counted[row] = true;
  strip.steps_a_bar = (list.size() + kMostBars - 1) / kMostBars;
  strip.shown = longest_of_neighbours(list, std::max<std::size_t>(1, strip.steps_a_bar));
  strip.top_ns = top_of(strip);
  return strip;
}

std::string caption(const Strip& strip) {
  const std::vector<Step>& list = strip.report.scale.summary.steps.list;
  std::string out = fmt::format("Steps {} to {}, left to right", list.front().id, list.back().id);
  if (strip.steps_a_bar > 1)
    out += fmt::format("; each bar is the longest of {} neighbours", strip.steps_a_bar);
  const bool is_cut = has_cut_bars(strip);
  if (is_cut) out += fmt::format("; bars with a tip are cut at {}", format_duration(strip.top_ns));
  const bool all =
      std::find(strip.counted.begin(), strip.counted.end(), false) == strip.counted.end();
  if (!all) out += "; pale steps are not counted";
  return out + ".";
}

}  // namespace

Markup steps(const Report& report) {
  const Steps& found = report.scale.summary.steps;
  Markup content;
  if (!found.list.empty() && report.scale.summary.step_parts.size() == found.list.size()) {
    const Strip strip = strip_of(report);
    content += strip_picture(strip);
    content += element("p", {{"class", "readout"}, {"aria-live", "polite"}}, text(caption(strip)));
  }
  for (const std::string& sentence : report.long_steps) content += element("p", prose(sentence));
  for (const report::Note& one : report.steps) content += paragraph_of(one);
  return section(report.id("steps"), "Steps", content, true);
}

}  // namespace stepscope::html
