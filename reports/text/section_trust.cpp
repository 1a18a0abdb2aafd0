// SPDX-License-Identifier: Apache-2.0
// How the steps were found, which were left out and why, and how far to trust the numbers.
#include <fmt/format.h>

#include "core/report/notes.hpp"
#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/trust.hpp"
#include "reports/text/colours.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::string_view kNoteIndent = "        ";

std::string fact_lines(const Page& page) {
  std::vector<std::string> facts;
  for (const TrustFact& fact : trust_facts(page)) {
    if (!facts.empty()) facts.back() += ",";
    facts.push_back(fact.good ? fact.text : page.style.paint(Colour::yellow, fact.text + " (!)"));
  }
  return wrapped_facts("Trust   ", facts, page.style, Colour::plain);
}

std::string note_lines(const std::vector<report::Note>& notes, std::string_view title,
                       const Style& style) {
  std::string out;
  std::size_t hidden = 0;
  for (const report::Note& note : notes) {
    if (note.weight == report::Weight::minor)
      ++hidden;
    else
      out += wrapped(out.empty() ? title : kNoteIndent, note.with_items(), style,
                     colour_of_note(note.tone));
  }
  if (hidden > 0) out += fmt::format("{}{} more notes in --format json\n", kNoteIndent, hidden);
  return out;
}

}  // namespace

std::string long_steps(const Page& page) {
  std::string out;
  for (const std::string& sentence : long_steps_texts(page))
    out +=
        wrapped(out.empty() ? "Long steps  " : "            ", sentence, page.style, Colour::plain);
  return out;
}

std::string steps(const Page& page) {
  return note_lines(report::step_notes(page), "Steps   ", page.style);
}

std::string trust(const Page& page) {
  return fact_lines(page) + note_lines(report::trust_notes(page), kNoteIndent, page.style);
}

}  // namespace stepscope::text_sections
