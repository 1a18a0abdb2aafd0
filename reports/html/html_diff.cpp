// SPDX-License-Identifier: Apache-2.0
#include "reports/html/html_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/html/cells.hpp"
#include "reports/html/diff_sections.hpp"
#include "reports/svg/waterfall.hpp"

namespace stepscope::html {
namespace {

Markup sides(const Comparison& c) {
  return element("p", {{"class", "facts"}}, element("b", Markup("A ")) + text(side_sentence(c.a))) +
         element("p", {{"class", "facts"}}, element("b", Markup("B ")) + text(side_sentence(c.b))) +
         Markup("\n");
}

Markup head(const Comparison& c) {
  Markup out = element("h1", text(fmt::format("{} against {}", c.b.run.path, c.a.run.path)));
  if (c.shown()) {
    out += element("p", {{"class", "headline"}}, prose(diff_sentence(c)));
  } else {
    out += element("p", {{"class", "headline"}},
                   element("span", {{"class", "badge bad"}}, Markup("NOT COMPARABLE")));
  }
  for (const std::string& why : c.why_not) out += note(Tone::bad, why);
  for (const std::string& warning : c.warnings) out += note(Tone::caution, warning);
  return element("header", {{"class", "wide"}}, out + sides(c));
}

Markup waterfall_section(const DiffScale& scale) {
  const Waterfall waterfall = waterfall_of(scale.c);
  return section("waterfall", "From A's step to B's", waterfall_markup(waterfall));
}

std::string diff_page(const Comparison& comparison) {
  const double a_ns = comparison.per_step(comparison.a.wall_ns_total);
  const DiffScale scale{comparison, unit_for_step(a_ns), std::max(1.0, a_ns)};
  Markup content = head(comparison);
  if (comparison.shown()) {
    for (const auto section : {waterfall_section, parts_of, sides_of, replaced_of, counts_of}) {
      content += section(scale);
    }
  }
  return page("stepscope diff", element("main", content));
}

}  // namespace
}  // namespace stepscope::html

namespace stepscope {

std::string html_diff(const Comparison& comparison) {
  return html::diff_page(comparison);
}

}  // namespace stepscope
