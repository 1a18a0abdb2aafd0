// SPDX-License-Identifier: Apache-2.0
// The loops that the run has one after the other, and other ways to divide them into steps.
#include "core/report/wording/sections.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {

namespace {

// "1 training", and how it is chosen.
Cells loop_cell(const SectionLine& line) {
  const std::string name = line.name.empty() ? line.what : line.name + "  " + line.what;
  if (line.choice.empty()) return words_cell(name);
  return words_cell(text(name) + Markup(" ") + element("small", text(line.choice)));
}

Cells figure_cell(const std::string& figure) {
  return {element("td", {{"class", "n"}}, text(figure)), !figure.empty()};
}

}  // namespace

Markup sections(const Report& report) {
  const std::vector<SectionLine> lines = section_lines(report.summary);
  if (lines.empty()) return {};
  TableRows rows;
  for (const SectionLine& line : lines) {
    rows.push_back(row({}, loop_cell(line) + figure_cell(line.time) + figure_cell(line.share) +
                               figure_cell(line.steps) + figure_cell(line.mean)));
  }
  Markup content =
      table({{"Loop", ColumnKind::words}, {"time"}, {"share"}, {"steps"}, {"a step"}}, rows, {});
  for (const std::string& sentence : section_texts(report.summary))
    content += element("p", text(sentence));
  return section(report.id("sections"), "Sections " + sections_title(report.summary), content);
}

}  // namespace stepscope::html
