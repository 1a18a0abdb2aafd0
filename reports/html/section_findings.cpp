// SPDX-License-Identifier: Apache-2.0
// What to do: a card a finding, the largest open, and what was looked at and costs nothing.
#include <fmt/format.h>

#include <algorithm>

#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

using report::FindingsText;
using report::FindingText;

constexpr std::size_t kOpenFindings = 3;
constexpr std::size_t kMostPlacesShown = 8;

Markup severity_badge(Severity severity) {
  const char* tone = severity == Severity::high     ? "badge bad"
                     : severity == Severity::medium ? "badge caution"
                                                    : "badge neutral";
  return element("span", {{"class", tone}}, text(name_of(severity)));
}

Markup definition(std::string_view term, const Markup& content) {
  return content.empty() ? content : element("dt", text(term)) + element("dd", content);
}

Markup finding_places(const FindingText& finding) {
  Markup items;
  for (std::size_t i = 0; i < finding.places.size() && i < kMostPlacesShown; ++i) {
    const FindingText::At& at = finding.places[i];
    Markup item = element("code", text(at.line));
    if (!at.function.empty()) item += Markup(" ") + element("small", text(at.function));
    items += element("li", item + text(" " + at.time));
  }
  return items.empty() ? items : element("ul", {{"class", "causes"}}, items);
}

Markup events(const FindingText& finding) {
  Markup items;
  for (const auto& [id, what] : finding.events)
    items += element("li", {{"title", id}}, prose(what));
  return items.empty() ? items : element("ul", {{"class", "causes"}}, items);
}

Markup card(const FindingText& finding, bool is_open) {
  const Markup gain =
      element("span", {{"class", "n"}}, text(finding.gain)) +
      element("span", {{"class", "n share"}}, text(format_share(finding.gain_share)));
  const double percent = 100 * std::clamp(finding.gain_share, 0.0, 1.0);
  const Markup bar = element(
      "span", {{"class", "linebar"}},
      element("i", {{"class", "f-host"}, {"style", fmt::format("width:{:.1f}%", percent)}}, {}));
  const Markup place = severity_badge(finding.severity) + Markup(" ") +
                       element("code", text(finding.id)) + Markup(" ") + text(finding.where);
  const Markup head = element("summary", element("span", {{"class", "place"}}, place) + bar + gain);
  Markup facts = definition("What to do", prose(finding.todo));
  if (!finding.code.empty()) facts += definition("For example", element("pre", text(finding.code)));
  facts += definition("Where", finding_places(finding));
  if (!finding.shows_as.empty()) facts += definition("Seen as", prose(finding.shows_as));
  facts += definition("How often", text(finding.how_often));
  facts += definition("Wrong if", prose(finding.wrong_if));
  facts += definition("Certainty", text(finding.certainty));
  facts += definition("The replay assumes", text(finding.assumes));
  facts += definition("Events", events(finding));
  return element(
             "details",
             {{"class", "finding"}, {"data-finding", finding.id}, {"open", is_open ? "open" : ""}},
             head + element("p", prose(finding.title)) + element("dl", facts)) +
         Markup("\n");
}

// A list under its title; nothing where it is empty.
Markup titled_list(std::string_view title, const Markup& items) {
  return items.empty() ? items : element("p", text(title)) + element("ul", items);
}

Markup reason_item(std::string_view code, std::string_view words) {
  return element("li", element("code", text(code)) + Markup(": ") + text(words));
}

}  // namespace

Markup findings(const Report& report) {
  if (!report.findings) return {};
  const FindingsText& all = *report.findings;
  Markup content;
  if (all.found.empty()) content += element("p", text(all.none));
  if (!all.no_forecast.empty()) content += note(Tone::neutral, all.no_forecast);
  if (!all.caution.empty()) content += note(Tone::caution, all.caution);
  std::size_t number = 0;
  for (const FindingText& finding : all.found) {
    // Apart from the findings about the program, and closed: the note says what matters.
    if (!finding.machine.empty())
      content += note(Tone::caution, finding.machine) + card(finding, false);
    else
      content += card(finding, number++ < kOpenFindings);
  }
  Markup no_gain, cleared, not_judged;
  for (const std::string& sentence : all.no_gain) no_gain += element("li", text(sentence));
  for (const RuleText& rule : all.cleared) cleared += reason_item(rule.id, rule.reasons);
  for (const ReasonText& reason : all.not_judged)
    not_judged += reason_item(reason.ids, reason.reason);
  content += titled_list(std::string(kNoGainHeading) + ":", no_gain);
  content += titled_list("Looked at and cleared:", cleared);
  content += titled_list("Not judged:", not_judged);
  return section(report.id("findings"), "What to do", content);
}

}  // namespace stepscope::html
