// SPDX-License-Identifier: Apache-2.0
// What to do: a card a finding, the largest open, and what was looked at and costs nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/report/wording/findings.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

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

Markup finding_places(const Report& report, const Finding& finding) {
  Markup items;
  for (std::size_t i = 0; i < finding.places.size() && i < kMostPlacesShown; ++i) {
    const FindingPlace& at = finding.places[i];
    const char* how = at.kind == SiteKind::call ? "in" : "somewhere in";
    const std::string file = shown_file(at.file, report.summary.run);
    Markup item = element("code", text(fmt::format("{}:{}", file, at.line)));
    if (!at.function.empty())
      item += Markup(" ") + element("small", text(fmt::format("{} {}", how, at.function)));
    item += text(
        fmt::format(" {} {}", format_time(at.caused_ns_per_step, report.unit), report.unit.name));
    items += element("li", item);
  }
  return items.empty() ? items : element("ul", {{"class", "causes"}}, items);
}

Markup events(const Finding& finding) {
  Markup items;
  for (const EvidenceEvent& event : finding.events)
    items += element("li", {{"title", event.id}}, prose(event_text(event)));
  return items.empty() ? items : element("ul", {{"class", "causes"}}, items);
}

Markup assumptions(const Finding& finding) {
  if (!finding.forecast) return {};
  return text(fmt::format("{}", fmt::join(finding.forecast->assumptions, "; ")));
}

Markup card(const Report& report, const Finding& finding, bool is_open) {
  const Markup gain =
      element("span", {{"class", "n"}}, text(gain_text(finding, report))) +
      element("span", {{"class", "n share"}}, text(format_share(gain_share(finding, report))));
  const double percent = 100 * std::clamp(gain_share(finding, report), 0.0, 1.0);
  const Markup bar = element(
      "span", {{"class", "linebar"}},
      element("i", {{"class", "f-host"}, {"style", fmt::format("width:{:.1f}%", percent)}}, {}));
  const Markup place = severity_badge(finding.severity) + Markup(" ") +
                       element("code", text(finding.id)) + Markup(" ") + text(where_text(finding));
  const Markup head = element("summary", element("span", {{"class", "place"}}, place) + bar + gain);
  Markup facts = definition("What to do", prose(finding.fix));
  if (!finding.code_hint.empty())
    facts += definition("For example", element("pre", text(finding.code_hint)));
  facts += definition("Where", finding_places(report, finding));
  if (!finding.shows_as.empty()) facts += definition("Seen as", prose(finding.shows_as));
  facts += definition("How often", text(format_count(finding.count_per_step) + " a step"));
  facts += definition("Wrong if", prose(finding.falsified_by));
  facts += definition("Certainty", text(certainty_text(finding.certainty)));
  facts += definition("The replay assumes", assumptions(finding));
  facts += definition("Events", events(finding));
  return element(
             "details",
             {{"class", "finding"}, {"data-finding", finding.id}, {"open", is_open ? "open" : ""}},
             head + element("p", prose(finding.title)) + element("dl", facts)) +
         Markup("\n");
}

// Apart from the findings about the program, and closed: the note says what matters.
Markup machine_card(const Report& report, const Finding& finding) {
  return note(Tone::caution, machine_text(finding)) + card(report, finding, false);
}

Markup no_gain(const std::vector<Finding>& list) {
  Markup items;
  for (const Finding& finding : list) items += element("li", text(no_gain_text(finding)));
  if (items.empty()) return items;
  return element("p", text(std::string(kNoGainHeading) + ":")) + element("ul", items);
}

Markup reasons(std::string_view title, const std::vector<NotFound>& list) {
  Markup items;
  for (const RuleText& rule : by_rule(list))
    items += element("li", element("code", text(rule.id)) + Markup(": ") + text(rule.reasons));
  if (items.empty()) return items;
  return element("p", text(title)) + element("ul", items);
}

Markup not_judged(const std::vector<NotFound>& list) {
  Markup items;
  for (const ReasonText& reason : by_reason(list))
    items += element("li", element("code", text(reason.ids)) + Markup(": ") + text(reason.reason));
  if (items.empty()) return items;
  return element("p", Markup("Not judged:")) + element("ul", items);
}

}  // namespace

Markup findings(const Report& report) {
  if (!report.summary.findings || says_nothing(*report.summary.findings)) return {};
  const Findings& all = *report.summary.findings;
  Markup content;
  if (all.found.empty())
    content += element("p", Markup("Nothing was found that is worth 1 % of the step."));
  else if (!all.no_forecast.empty())
    content += note(Tone::neutral, all.no_forecast);
  if (!all.found.empty() && !all.caution.empty()) content += note(Tone::caution, all.caution);
  std::size_t number = 0;
  for (const Finding& finding : all.found) {
    if (finding.is_of_machine())
      content += machine_card(report, finding);
    else
      content += card(report, finding, number++ < kOpenFindings);
  }
  content += no_gain(all.no_gain);
  content += reasons("Looked at and cleared:", all.cleared);
  content += not_judged(all.abstained);
  return section(report.id("findings"), "What to do", content);
}

}  // namespace stepscope::html
