// SPDX-License-Identifier: Apache-2.0
// The loops that the run has one after the other, and other ways to divide them into steps.
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"
#include "reports/wording/sections.hpp"

namespace stepscope::html {

Markup sections(const Report& report) {
  const std::vector<SectionLine> lines = section_lines(report.summary);
  if (lines.empty()) return {};
  Markup rows;
  for (const SectionLine& line : lines) {
    rows += row({}, words_cell(line.name) + words_cell(line.what) + words_cell(line.time) +
                        words_cell(line.share) + words_cell(line.steps) + words_cell(line.mean) +
                        words_cell(line.choice));
  }
  Markup content = table({{"", ColumnKind::words},
                          {"loop", ColumnKind::words},
                          {"time", ColumnKind::words},
                          {"share", ColumnKind::words},
                          {"steps", ColumnKind::words},
                          {"a step", ColumnKind::words},
                          {"", ColumnKind::words}},
                         rows, {});
  for (const std::string& sentence : section_texts(report.summary))
    content += element("p", text(sentence));
  return section(report.id("sections"), "Sections " + sections_title(report.summary), content);
}

}  // namespace stepscope::html
