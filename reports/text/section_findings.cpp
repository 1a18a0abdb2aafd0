// SPDX-License-Identifier: Apache-2.0
// What to do: the findings that are worth most, and what was looked at and costs nothing.
#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/findings.hpp"
#include "reports/text/one_line.hpp"
#include "reports/text/sections.hpp"

namespace stepscope::text_sections {
namespace {

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

std::string finding_lines(const Page& page, const Finding& finding, std::size_t number) {
  const std::string gain =
      fmt::format("{}, {}", gain_text(finding, page), format_share(gain_share(finding, page)));
  const std::string id = page.style.paint(colour_of(finding.severity), finding.id);
  const std::size_t head = 4 + finding.id.size() + gain.size() + 4;
  const std::size_t left = head < kColumns ? kColumns - head : 0;
  std::string where = page.style.cut_end(where_text(finding), left);
  where.append(left > columns_of(where) ? left - columns_of(where) : 0, ' ');
  std::string out =
      fmt::format("{:>2}  {}  {}  {}\n", number, id, where, page.style.paint(Colour::bold, gain));
  out += wrapped(kUnderFinding, finding.title, page.style, Colour::plain);
  if (!finding.shows_as.empty())
    out += wrapped(kUnderFinding, finding.shows_as, page.style, Colour::plain);
  return out + wrapped("    do: ", finding.fix, page.style, Colour::cyan) +
         code_lines(page, finding.code_hint);
}

std::string machine_lines(const Page& page, const Finding& finding) {
  return wrapped("  ", machine_text(finding), page.style, Colour::yellow) +
         wrapped("    do: ", finding.fix, page.style, Colour::cyan) +
         code_lines(page, finding.code_hint);
}

// Costs that a reader would go after in vain.
std::string no_gain_lines(const Page& page, const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings.no_gain) {
    out += wrapped("    ", no_gain_text(finding), page.style, Colour::plain);
  }
  return out.empty() ? out : fmt::format("  {}:\n{}", kNoGainHeading, out);
}

// A rule that was found at some lines and cleared at others is listed with its reasons alone.
std::string cleared_ids(const Findings& findings) {
  std::string out;
  for (const RuleText& rule : by_rule(findings.cleared)) {
    const auto is_one = [&rule](const Finding& one) { return one.id == rule.id; };
    if (std::none_of(findings.found.begin(), findings.found.end(), is_one) &&
        std::none_of(findings.no_gain.begin(), findings.no_gain.end(), is_one))
      out += (out.empty() ? "" : ", ") + rule.id;
  }
  return out;
}

bool is_certain(const NotFound& one) {
  return one.reason.find("not certain") == std::string::npos;
}

// Reasons of what a reader would suspect: where the pattern is there and costs nothing.
std::string cleared_lines(const Page& page, const Findings& findings) {
  std::string out;
  const std::string ids = cleared_ids(findings);
  if (!ids.empty()) out += wrapped("  Cleared: ", ids, page.style, Colour::dim);
  for (const NotFound& one : findings.cleared) {
    if (one.id == "host_sync" && one.reason.find(':') != std::string::npos)
      out += wrapped(is_certain(one) ? "    no cost: " : "    unclear: ", one.reason, page.style,
                     Colour::dim);
  }
  for (const ReasonText& reason : by_reason(findings.abstained))
    out += wrapped("  Not judged: ", reason.ids + ": " + reason.reason, page.style, Colour::dim);
  return out;
}

}  // namespace

std::string findings(const Page& page) {
  if (!page.summary.findings || says_nothing(*page.summary.findings)) return "";
  const Findings& all = *page.summary.findings;
  std::string out = "What to do";
  if (all.found.empty()) {
    out += "  nothing found that is worth 1 % of the step\n";
  } else {
    out += all.no_forecast.empty() ? "  (by what it gives, replayed one at a time)\n"
                                   : fmt::format("  ({})\n", all.no_forecast);
  }
  if (!all.found.empty() && !all.caution.empty())
    out += wrapped("  ", all.caution, page.style, Colour::yellow);
  std::size_t number = 0;
  for (const Finding& finding : all.found) {
    if (finding.is_of_machine())
      out += machine_lines(page, finding);
    else if (++number <= kMostFindings)
      out += finding_lines(page, finding, number);
  }
  if (number > kMostFindings)
    out += fmt::format("    and {} more: --format json or html\n", number - kMostFindings);
  return out + no_gain_lines(page, all) + cleared_lines(page, all);
}

}  // namespace stepscope::text_sections
