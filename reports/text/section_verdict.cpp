// SPDX-License-Identifier: Apache-2.0
// The first lines: what ran, how long a step takes, and who limits it.
#include <fmt/ranges.h>

#include <cctype>

#include "core/report/notes.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/text/colours.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {

std::string broken(const Page& page) {
  std::string out;
  for (const report::Note& note : report::alerts(page)) {
    std::string label = note.label.empty() ? std::string(6, ' ') : note.label;
    for (char& c : label) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out += wrapped(label + "  ", note.text, page.style, colour_of_note(note.tone));
  }
  return out;
}

std::string headline(const Page& page) {
  std::string out;
  for (const auto& facts : {what_ran(page.summary.run), where_it_ran(page.summary.run)}) {
    const std::string line = fmt::format("{}", fmt::join(facts, page.style.dot()));
    out += page.style.paint(Colour::dim, page.style.cut_end(line, kColumns)) + "\n";
  }
  return out;
}

std::string verdict(const Page& page) {
  const VerdictLabel label = verdict_label(page);
  std::string out =
      page.style.paint(Colour::bold, page.style.paint(colour_of(label.tone), label.text));
  const std::vector<std::string> facts = step_time_facts(page);
  if (!facts.empty()) out += "  ";
  out = wrapped_facts(out, facts, page.style, Colour::bold);
  for (const report::Note& note : report::verdict_notes(page))
    out += wrapped("  ", note.text, page.style, colour_of_note(note.tone));
  return out;
}

}  // namespace stepscope::text_sections
