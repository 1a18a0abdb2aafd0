// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/report/documents.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/html_pages.hpp"
#include "reports/svg/waterfall.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostReplaced = 40;

Markup sides(const report::DiffReport& diff) {
  return element("p", {{"class", "facts"}}, element("b", Markup("A ")) + text(diff.a)) +
         element("p", {{"class", "facts"}}, element("b", Markup("B ")) + text(diff.b)) +
         Markup("\n");
}

Markup head(const report::DiffReport& diff) {
  Markup out = element("h1", text(fmt::format("{} against {}", diff.b_path, diff.a_path)));
  out += element("p", {{"class", "headline"}},
                 diff.is_shown()
                     ? prose(diff.sentence)
                     : element("span", {{"class", "badge bad"}}, Markup("NOT COMPARABLE")));
  if (!diff.range.empty()) out += element("p", prose(diff.range));
  for (const std::string& why : diff.why_not) out += note(Tone::bad, why);
  for (const std::string& warning : diff.warnings) out += note(Tone::caution, warning);
  return element("header", {{"class", "wide"}}, out + sides(diff));
}

Markup table_section(const report::Table& table, bool is_wide = false) {
  if (table.rows.empty() && !table.first) return {};
  return section(table.id, table.title, plain_table(table, ""), is_wide);
}

Markup replaced(const report::DiffReport& diff) {
  Markup items;
  for (std::size_t i = 0; i < std::min(kMostReplaced, diff.replaced.size()); ++i)
    items += element("li", prose(diff.replaced[i].text));
  return items.empty() ? items
                       : section("replaced", "Work that was replaced", element("ul", items));
}

Markup content(const Comparison& comparison) {
  const report::DiffReport diff = report::diff_report(comparison);
  Markup out = head(diff);
  if (!diff.is_shown()) return out;
  out += section("waterfall", "From A's step to B's", waterfall_markup(waterfall_of(comparison)));
  out += table_section(diff.parts, true);
  for (const report::Table& table : diff.sides) out += table_section(table);
  return out + replaced(diff) + table_section(diff.counts);
}

}  // namespace
}  // namespace stepscope::html

namespace stepscope {

std::string html_diff(const Comparison& comparison) {
  return html::page("stepscope diff", element("main", html::content(comparison)));
}

}  // namespace stepscope
