// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/report/documents.hpp"
#include "reports/markdown/markdown.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

constexpr std::size_t kMostParts = 15;

std::string diff_head(const report::DiffReport& diff) {
  std::string out = fmt::format("## {} against {}\n\n", code(diff.b_path), code(diff.a_path));
  out += paragraph(bold(escaped(diff.is_shown() ? diff.sentence : "NOT COMPARABLE")));
  out += paragraph(escaped(diff.range));
  for (const std::string& why : diff.why_not)
    out += fmt::format("> [!CAUTION]\n> {}\n\n", escaped(why));
  for (const std::string& warning : diff.warnings)
    out += fmt::format("> [!WARNING]\n> {}\n\n", escaped(warning));
  return out + fmt::format("- A: {}\n- B: {}\n\n", escaped(diff.a), escaped(diff.b));
}

std::string replaced_section(const report::DiffReport& diff) {
  std::string items;
  for (const report::Note& note : diff.replaced)
    if (note.weight != report::Weight::minor) items += "- " + escaped(note.text) + "\n";
  return items.empty() ? "" : "### Work that was replaced\n\n" + items + "\n";
}

}  // namespace
}  // namespace stepscope::markdown

namespace stepscope {

std::string markdown_diff(const Comparison& comparison) {
  using namespace markdown;
  const report::DiffReport diff = report::diff_report(comparison);
  std::string out = diff_head(diff);
  if (diff.is_shown()) {
    out += table_rows(diff.parts, kMostParts);
    for (const report::Table& one : diff.sides) out += table_section(one);
    out += replaced_section(diff) + table_section(diff.counts);
  }
  out.pop_back();  // one line end at the end
  return out;
}

}  // namespace stepscope
