// SPDX-License-Identifier: Apache-2.0
// The first lines: what ran, how long a step takes, and who limits it.
#include <fmt/ranges.h>

#include "core/report/wording/ending.hpp"
#include "core/report/wording/long_steps.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/text/colours.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {

std::string broken(const Page& page) {
  std::string out;
  for (const std::string& sentence : page.summary.trust.broken_invariants) {
    out += wrapped("BROKEN  ", sentence, page.style, Colour::red);
  }
  if (!out.empty()) {
    out += wrapped("        ", "The numbers below contradict each other: please report this trace.",
                   page.style, Colour::red);
  }
  // What was left unexplained was not to be recorded.
  const std::string& nothing = page.summary.trust.nothing_recorded;
  if (!nothing.empty())
    return out + wrapped("NOTHING RECORDED  ", nothing, page.style, Colour::yellow);
  for (const std::string& sentence : page.summary.trust.over_budget) {
    out += wrapped("UNEXPLAINED  ", sentence, page.style, Colour::yellow);
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
  for (const std::string& sentence : {ending_text(page.summary), busy_machine_text(page),
                                      trimmed_text(page), long_share_text(page)}) {
    if (!sentence.empty()) out += wrapped("  ", sentence, page.style, Colour::yellow);
  }
  out += wrapped("  ", page.summary.partition.why_bound, page.style, Colour::plain);
  if (page.summary.throughput)
    out += wrapped("  ", throughput_text(page), page.style, Colour::plain);
  if (!page.summary.counting.empty()) {
    out += wrapped("  ", page.summary.counting, page.style, Colour::yellow);
  }
  return out;
}

}  // namespace stepscope::text_sections
