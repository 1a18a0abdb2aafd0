// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/report/wording/gate.hpp"
#include "core/report/wording/names.hpp"
#include "core/support/duration.hpp"
#include "reports/markdown/markdown.hpp"

namespace stepscope {
namespace {

using namespace markdown;

constexpr std::size_t kMostRows = 60;      // metrics that are listed; policies seldom name ten
constexpr std::size_t kMostRuns = 20;      // runs of a side that are listed
constexpr std::size_t kMostLetters = 300;  // letters of a sentence or name

std::string sentence(std::string_view words) {
  return escaped(shortened(words, kMostLetters));
}

std::string_view mark_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::regression:
      return "**regression**";
    case Outcome::inconclusive:
      return "*inconclusive*";
    case Outcome::not_judged:
      break;
  }
  return "not judged";
}

std::string metrics(const GateVerdict& verdict) {
  std::vector<std::vector<std::string>> rows;
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::not_judged || rows.size() == kMostRows) continue;
    const bool has_baseline = metric.budget.empty();
    rows.push_back({code(shortened(metric.name, kMostLetters)),
                    has_baseline ? format_value(metric.kind, metric.baseline) : "",
                    format_value(metric.kind, metric.candidate), format_change(metric),
                    format_bounds(metric), escaped(format_allowed(metric)),
                    std::string(mark_of(metric.outcome))});
  }
  if (rows.empty()) return "";
  const std::string note = note_on_changes(verdict);
  return table({{"Metric, a step", MarkdownAlign::left},
                {"Baseline"},
                {"Candidate"},
                {"Change"},
                {"Range"},
                {"Allowed"},
                {"Verdict", MarkdownAlign::left}},
               rows) +
         (note.empty() ? "" : "\n" + escaped(note) + "\n");
}

std::string reasons(const GateVerdict& verdict) {
  std::string out;
  std::size_t told = 0;
  for (const MetricResult& metric : verdict.metrics) {
    if (metric.outcome == Outcome::pass || metric.outcome == Outcome::not_judged) continue;
    if (++told > kMostRows) break;
    out += "- " + sentence(metric_sentence(metric)) + "\n";
    for (const MetricCause& cause : metric.causes)
      out += "  - from " + sentence(cause_sentence(cause)) + "\n";
  }
  if (const std::string counts = counts_alone_text(verdict); !counts.empty())
    out += "- " + sentence(counts) + "\n";
  return out.empty() ? "" : out + "\n";
}

std::string list(const char* title, const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostRows); ++i)
    out += "- " + sentence(lines[i]) + "\n";
  return out.empty() ? "" : fmt::format("{}\n\n{}\n", title, out);
}

void add_runs(const char* name, const std::vector<GateRun>& side, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < std::min(side.size(), kMostRuns); ++i) {
    const GateRun& run = side[i];
    const std::string unused = run.not_used.empty() ? "" : "; not used: " + run.not_used;
    out.push_back(fmt::format("{} {}: {} step{} of {}{}", name, run.path, run.steps,
                              run.steps == 1 ? "" : "s", format_duration(run.step_ns), unused));
  }
}

std::string runs(const GateVerdict& verdict) {
  std::vector<std::string> lines;
  add_runs("baseline", verdict.baseline, lines);
  add_runs("candidate", verdict.candidate, lines);
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
  return within_a_comment(
      fmt::format("## stepscope gate: {}\n\n{}\n\n", gate_title(verdict),
                  sentence(gate_summary(verdict))) +
      metrics(verdict) + reasons(verdict) + runs(verdict) +
      list("To be known (A is the baseline, B the candidate):", verdict.warnings));
}

}  // namespace stepscope
