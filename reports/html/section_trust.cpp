// SPDX-License-Identifier: Apache-2.0
// How far to trust the numbers: what was lost, what was not recorded, what recording cost.
#include <fmt/format.h>

#include "core/report/wording/trust.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

Markup fact(const TrustFact& fact) {
  const Markup mark = element("b", text(!fact.measured ? "–" : fact.good ? "✓" : "!"));
  return element("li", {{"class", fact.good ? "good" : "caution"}},
                 mark + Markup(" ") + text(fact.text));
}

Markup abstained(const Trust& trust) {
  Markup items;
  for (const Abstention& one : trust.abstained) {
    items += element("li", element("code", text(one.id)) + Markup(": ") + text(one.reason));
  }
  if (items.empty()) return {};
  return element("p", Markup("Not recorded, so never blamed:")) + element("ul", items);
}

}  // namespace

Markup trust(const Report& report) {
  const Trust& trust = report.summary.trust;
  Markup facts;
  for (const TrustFact& one : trust_facts(report)) facts += fact(one);
  Markup content = element("ul", {{"class", "factlist"}}, facts);
  const std::string without_line = without_line_text(report);
  if (!without_line.empty()) content += element("p", prose(without_line));
  if (trust.recorder) content += element("p", prose(recorder_text(*trust.recorder)));
  for (const std::string& rival : trust.rivals)
    content += note(Tone::caution, "another tracer was active: " + rival);
  content += abstained(trust);
  for (const std::string& sentence : trust.notes) content += element("p", prose(sentence));
  return section(report.id("trust"), "How far to trust this", content);
}

}  // namespace stepscope::html
