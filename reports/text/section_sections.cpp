// SPDX-License-Identifier: Apache-2.0
// The loops that the run has one after the other, and other ways to divide them into steps.
#include "core/report/wording/sections.hpp"
#include "reports/text/sections.hpp"
#include "reports/text/table.hpp"

namespace stepscope::text_sections {

std::string sections(const Page& page) {
  const std::vector<SectionLine> lines = section_lines(page.summary);
  if (lines.empty()) return "";
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left});
  table.head({"Sections " + sections_title(page.summary), "time", "share", "steps", "a step", ""});
  for (const SectionLine& line : lines) {
    const std::string what = line.name.empty() ? line.what : line.name + "  " + line.what;
    table.row({{what, line.name.empty() ? Colour::dim : Colour::plain},
               {line.time},
               {line.share},
               {line.steps},
               {line.mean},
               {line.choice, Colour::dim}});
  }
  std::string out = table.render(page.style);
  for (const std::string& sentence : section_texts(page.summary))
    out += wrapped("  ", sentence, page.style, Colour::dim);
  return out;
}

}  // namespace stepscope::text_sections
