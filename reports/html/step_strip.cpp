// SPDX-License-Identifier: Apache-2.0
#include "reports/html/step_strip.hpp"

#include <fmt/format.h>

#include <map>

#include "core/attribution/cause.hpp"
#include "core/support/duration.hpp"

namespace stepscope::html {
namespace {

constexpr double kHeight = 160;
constexpr std::size_t kMostPartsTold = 4;
constexpr std::size_t kMostGapped = 300;  // bars with room between them

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
  const PerCause<std::int64_t>& parts = strip.report.scale.summary.step_parts[strip.shown[bar]];
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
  const std::string parts = parts_told(strip.report.scale.summary.step_parts[strip.shown[bar]]);
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

}  // namespace

bool has_cut_bars(const Strip& strip) {
  return !cut_marks(strip).empty();
}

Markup strip_picture(const Strip& strip) {
  return element("div", {{"class", "stripbox"}}, axis(strip) + picture(strip));
}

}  // namespace stepscope::html
