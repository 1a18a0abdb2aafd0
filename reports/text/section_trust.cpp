// SPDX-License-Identifier: Apache-2.0
// How the steps were found, which were left out and why, and how far to trust the numbers.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/trust.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostNotes = 5;
constexpr std::size_t kMostStepNotes = 2;

std::string fact_lines(const Page& page) {
  std::vector<std::string> facts;
  for (const TrustFact& fact : trust_facts(page)) {
    if (!facts.empty()) facts.back() += ",";
    facts.push_back(fact.good ? fact.text : page.style.paint(Colour::yellow, fact.text + " (!)"));
  }
  return wrapped_facts("Trust   ", facts, page.style, Colour::plain);
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
  const Steps& s = page.summary.steps;
  std::string out = wrapped("Steps   ", steps_text(page), page.style, Colour::plain);
  const std::string warm_up = warm_up_text(page);
  if (!warm_up.empty())
    out += wrapped("        ", "warm-up: " + warm_up, page.style, Colour::plain);
  const std::string compilation = compilation_text(page);
  if (!compilation.empty()) out += wrapped("        ", compilation, page.style, Colour::plain);
  for (std::size_t i = 0; i < std::min(kMostStepNotes, s.notes.size()); ++i) {
    out += wrapped("        ", s.notes[i], page.style, Colour::plain);
  }
  return out;
}

std::string trust(const Page& page) {
  const Trust& t = page.summary.trust;
  std::string out = fact_lines(page);
  const std::string without_line = without_line_text(page);
  if (!without_line.empty()) out += wrapped("        ", without_line, page.style, Colour::dim);
  if (t.recorder) {
    out += "        " + recorder_text(*t.recorder) + "\n";
  }
  for (const std::string& rival : t.rivals) {
    out += wrapped("        ", "another tracer was active: " + rival, page.style, Colour::yellow);
  }
  if (!t.abstained.empty()) {
    out += wrapped("        ", "not recorded, so never blamed: " + abstained_text(t), page.style,
                   Colour::dim);
  }
  for (std::size_t i = 0; i < std::min(kMostNotes, t.notes.size()); ++i) {
    out += wrapped("        ", t.notes[i], page.style, Colour::plain);
  }
  if (t.notes.size() > kMostNotes) {
    out += fmt::format("        {} more notes in --format json\n", t.notes.size() - kMostNotes);
  }
  return out;
}

}  // namespace stepscope::text_sections
