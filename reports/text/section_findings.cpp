// SPDX-License-Identifier: Apache-2.0
// What to do: the findings that are worth most, and what was looked at and costs nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reports/text/sections.hpp"
#include "reports/text/style.hpp"

namespace stepscope::text_sections {
namespace {

using report::FindingsText;
using report::FindingText;

constexpr std::size_t kMostFindings = 5;
constexpr const char* kUnderFinding = "    ";
constexpr const char* kUnderDo = "        ";

Colour colour_of(Severity severity) {
  switch (severity) {
    case Severity::high:
      return Colour::red;
    case Severity::medium:
      return Colour::yellow;
    case Severity::info:
      break;
  }
  return Colour::dim;
}

// Lines of code stay as they are.
std::string code_lines(const Page& page, const std::string& code) {
  std::string out;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size());
    out += kUnderDo + page.style.paint(Colour::dim, one_line(code.substr(at, end - at))) + "\n";
    at = end + 1;
  }
  return out;
}

std::string todo_lines(const Page& page, const FindingText& finding) {
  return wrapped("    do: ", finding.todo, page.style, Colour::cyan) +
         code_lines(page, finding.code);
}

std::string finding_lines(const Page& page, const FindingText& finding, std::size_t number) {
  const std::string gain = fmt::format("{}, {}", finding.gain, format_share(finding.gain_share));
  const std::string id = page.style.paint(colour_of(finding.severity), finding.id);
  const std::size_t head = 4 + finding.id.size() + gain.size() + 4;
  const std::size_t left = head < kColumns ? kColumns - head : 0;
  std::string where = page.style.cut_end(finding.where, left);
  where.append(left > columns_of(where) ? left - columns_of(where) : 0, ' ');
  std::string out =
      fmt::format("{:>2}  {}  {}  {}\n", number, id, where, page.style.paint(Colour::bold, gain));
  out += wrapped(kUnderFinding, finding.title, page.style, Colour::plain);
  if (!finding.shows_as.empty())
    out += wrapped(kUnderFinding, finding.shows_as, page.style, Colour::plain);
  return out + todo_lines(page, finding);
}

std::string machine_lines(const Page& page, const FindingText& finding) {
  return wrapped("  ", finding.machine, page.style, Colour::yellow) + todo_lines(page, finding);
}

// Costs that a reader would go after in vain.
std::string no_gain_lines(const Page& page, const std::vector<std::string>& sentences) {
  std::string out;
  for (const std::string& sentence : sentences)
    out += wrapped("    ", sentence, page.style, Colour::plain);
  return out.empty() ? out : fmt::format("  {}:\n{}", kNoGainHeading, out);
}

// Only what a reader would suspect has its reason here.
std::string cleared_lines(const Page& page, const FindingsText& all) {
  std::string out;
  const std::string ids = fmt::format("{}", fmt::join(all.only_clear, ", "));
  if (!ids.empty()) out += wrapped("  Cleared: ", ids, page.style, Colour::dim);
  for (const report::Note& doubt : all.doubts)
    out += wrapped("    " + doubt.label + ": ", doubt.text, page.style, Colour::dim);
  for (const ReasonText& reason : all.not_judged)
    out += wrapped("  Not judged: ", reason.ids + ": " + reason.reason, page.style, Colour::dim);
  return out;
}

}  // namespace

std::string findings(const Page& page) {
  if (!page.report.findings) return "";
  const FindingsText& all = *page.report.findings;
  const std::string order = all.found.empty()         ? all.none
                            : all.no_forecast.empty() ? "(by what it gives, replayed one at a time)"
                                                      : fmt::format("({})", all.no_forecast);
  std::string out = wrapped("What to do  ", order, page.style, Colour::plain);
  if (!all.caution.empty()) out += wrapped("  ", all.caution, page.style, Colour::yellow);
  std::size_t number = 0;
  for (const FindingText& finding : all.found) {
    if (!finding.machine.empty())
      out += machine_lines(page, finding);
    else if (++number <= kMostFindings)
      out += finding_lines(page, finding, number);
  }
  if (number > kMostFindings)
    out += fmt::format("    and {} more: --format json or html\n", number - kMostFindings);
  return out + no_gain_lines(page, all.no_gain) + cleared_lines(page, all);
}

}  // namespace stepscope::text_sections
