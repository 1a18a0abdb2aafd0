// SPDX-License-Identifier: Apache-2.0
// How far to trust the numbers: what was lost, what was not recorded, what recording cost.
#include "core/report/notes.hpp"
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

}  // namespace

Markup trust(const Report& report) {
  Markup facts;
  for (const TrustFact& one : trust_facts(report)) facts += fact(one);
  Markup content = element("ul", {{"class", "factlist"}}, facts);
  for (const report::Note& one : report::trust_notes(report)) content += paragraph_of(one);
  return section(report.id("trust"), "How far to trust this", content);
}

}  // namespace stepscope::html
