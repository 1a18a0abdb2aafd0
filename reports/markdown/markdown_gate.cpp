// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/documents.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope {
namespace {

using namespace markdown;

constexpr std::size_t kMostRows = 60;      // metrics that are listed; policies seldom name ten
constexpr std::size_t kMostRuns = 20;      // runs of a side that are listed
constexpr std::size_t kMostLetters = 300;  // letters of a sentence or name

std::string sentence(std::string_view words) {
  return escaped(shortened(words, kMostLetters));
}

std::string metrics(const report::GateReport& gate) {
  const std::string out = table_rows(gate.metrics, kMostRows);
  return out.empty() || gate.note.empty() ? out : out + "\n" + escaped(gate.note) + "\n";
}

std::string reasons(const report::GateReport& gate) {
  std::string out;
  for (std::size_t i = 0; i < std::min(gate.reasons.size(), kMostRows); ++i) {
    out += "- " + sentence(gate.reasons[i].sentence) + "\n";
    for (const report::Note& cause : gate.reasons[i].causes)
      out += "  - from " + sentence(cause.text) + "\n";
  }
  for (const auto& [reason, names] : gate.not_judged)
    out += "- not judged: " + sentence(names + ": " + reason) + "\n";
  if (!gate.counts_alone.empty()) out += "- " + sentence(gate.counts_alone) + "\n";
  return out.empty() ? "" : out + "\n";
}

std::string list(const char* title, const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostRows); ++i)
    out += "- " + sentence(lines[i]) + "\n";
  return out.empty() ? "" : fmt::format("{}\n\n{}\n", title, out);
}

std::string runs(const report::GateReport& gate) {
  std::vector<std::string> lines;
  for (const auto& [name, side] :
       {std::pair{"baseline ", &gate.baseline}, std::pair{"candidate ", &gate.candidate}})
    for (std::size_t i = 0; i < std::min(side->size(), kMostRuns); ++i)
      lines.push_back(name + (*side)[i].text);
  return list("<details><summary>Runs</summary>", lines) + "</details>\n\n";
}

// Whole lines; the longest of them only where names are hostile.
std::string within_a_comment(std::string text) {
  constexpr std::size_t kMostBytes = 60'000;
  if (text.size() <= kMostBytes) return text;
  text.resize(text.rfind('\n', kMostBytes) + 1);
  return text + "\nCut off here: stepscope gate --format json holds the rest.\n";
}

}  // namespace

std::string markdown_gate(const GateVerdict& verdict) {
  const report::GateReport gate = report::gate_report(verdict);
  return within_a_comment(
      fmt::format("## stepscope gate: {}\n\n{}\n\n", gate.title, sentence(gate.summary)) +
      metrics(gate) + reasons(gate) + runs(gate) +
      list("To be known (A is the baseline, B the candidate):", gate.warnings));
}

}  // namespace stepscope
