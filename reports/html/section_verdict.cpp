// SPDX-License-Identifier: Apache-2.0
// The head of the page: what ran, how long a step takes, and who limits it.
#include <fmt/ranges.h>

#include "core/report/notes.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

std::string badge_class(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "badge good";
    case Tone::bad:
      return "badge bad";
    case Tone::caution:
      return "badge caution";
    case Tone::neutral:
      break;
  }
  return "badge neutral";
}

Markup facts(const std::vector<std::string>& parts) {
  return element("p", {{"class", "facts"}}, text(fmt::format("{}", fmt::join(parts, " · ")))) +
         Markup("\n");
}

}  // namespace

Markup broken(const Report& report) {
  Markup out;
  for (const report::Note& one : report::alerts(report)) out += note(one.tone, one.with_label());
  return out.empty() ? out : element("section", {{"class", "wide alerts"}}, out);
}

Markup verdict(const Report& report) {
  const Summary& summary = report.summary;
  const VerdictLabel label = verdict_label(report);
  Markup head = element("span", {{"class", badge_class(label.tone)}}, text(label.text));
  head += Markup(" ") + prose(step_time_text(report));
  Markup out = element("h1", text(summary.run.path)) + Markup("\n");
  std::vector<std::string> what = what_ran(summary.run);
  if (!what.empty()) what.erase(what.begin());  // the path is the title
  out += facts(what) + facts(where_it_ran(summary.run));
  out += element("p", {{"class", "headline"}}, head) + Markup("\n");
  for (const report::Note& one : report::verdict_notes(report)) out += paragraph_of(one);
  return element("header", {{"class", "wide"}}, out) + Markup("\n");
}

}  // namespace stepscope::html
