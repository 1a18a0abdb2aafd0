// SPDX-License-Identifier: Apache-2.0
// What to do: the findings that are worth most, and what was looked at and costs nothing.
#include <fmt/format.h>

#include <algorithm>

#include "reports/text/sections.hpp"
#include "reports/wording/findings.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kMostFindings = 5;
constexpr const char* kUnderFinding = "    ";

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

// What to do, without how: up to the first colon or semicolon.
std::string first_clause(const std::string& fix) {
  return fix.substr(0, std::min(fix.find(": "), fix.find("; ")));
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
  return out + wrapped("    do: ", first_clause(finding.fix), page.style, Colour::cyan);
}

// A rule that was found at some lines and cleared at others is listed with its reasons alone.
std::string cleared_ids(const Findings& findings) {
  std::string out;
  for (const RuleText& rule : by_rule(findings.cleared)) {
    const bool found = std::any_of(findings.found.begin(), findings.found.end(),
                                   [&rule](const Finding& one) { return one.id == rule.id; });
    if (!found) out += (out.empty() ? "" : ", ") + rule.id;
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
  for (std::size_t i = 0; i < std::min(kMostFindings, all.found.size()); ++i)
    out += finding_lines(page, all.found[i], i + 1);
  if (all.found.size() > kMostFindings)
    out +=
        fmt::format("    and {} more: --format json or html\n", all.found.size() - kMostFindings);
  return out + cleared_lines(page, all);
}

}  // namespace stepscope::text_sections
