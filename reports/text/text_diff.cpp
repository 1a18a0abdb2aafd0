// SPDX-License-Identifier: Apache-2.0
#include "reports/text/text_pages.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/report/documents.hpp"
#include "reports/text/sections.hpp"

namespace stepscope {
namespace {

constexpr std::size_t kMostParts = 12;
constexpr std::size_t kMostRows = 7;
constexpr std::size_t kMostReplaced = 3;

using text_sections::wrapped;

std::string sides_text(const report::DiffReport& diff, const Style& style) {
  return wrapped("A  ", diff.a, style, Colour::plain) +
         wrapped("B  ", diff.b, style, Colour::plain);
}

std::string head_text(const report::DiffReport& diff, const Style& style) {
  std::string out = style.paint(Colour::bold, diff.sentence) + "\n";
  if (!diff.range.empty()) out += diff.range + "\n";
  out += sides_text(diff, style);
  for (const std::string& why : diff.why_not) out += wrapped("!  ", why, style, Colour::red);
  for (const std::string& why : diff.warnings) out += wrapped("!  ", why, style, Colour::yellow);
  return out;
}

std::string refusal_text(const report::DiffReport& diff, const Style& style) {
  std::string out = style.paint(Colour::red, "NOT COMPARABLE") + "\n";
  for (const std::string& why : diff.why_not) out += wrapped("  ", why, style, Colour::plain);
  return out + sides_text(diff, style);
}

std::string replaced_text(const report::DiffReport& diff, const Style& style) {
  std::string out;
  for (std::size_t i = 0; i < std::min(kMostReplaced, diff.replaced.size()); ++i) {
    if (diff.replaced[i].weight == report::Weight::minor) break;
    out +=
        wrapped(i == 0 ? "Replaced  " : "          ", diff.replaced[i].text, style, Colour::plain);
  }
  return out;
}

// In a row: "kernels 189 -> 50, waits 2 -> 1".
std::string counts_text(const report::Table& counts, const Style& style) {
  if (counts.rows.empty()) return "";
  const auto words = [](const report::Cell& cell) { return std::get<report::Words>(cell).text; };
  std::string text;
  for (const report::Row* row : report::rows_of_screen(counts, counts.rows.size()).rows)
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", words(row->cells[0]),
                        words(row->cells[1]), words(row->cells[2]));
  if (text.empty()) text = "the same counts on both sides";
  return wrapped("Work a step  ", text, style, Colour::plain);
}

}  // namespace

std::string text_diff(const Comparison& comparison, const Style& style) {
  const report::DiffReport diff = report::diff_report(comparison);
  if (!diff.is_shown()) return refusal_text(diff, style);
  std::vector<std::string> sections = {head_text(diff, style)};
  sections.push_back(
      text_sections::table_text(diff.parts, {.rows = kMostParts, .has_sum = true}, style));
  for (const report::Table& table : diff.sides)
    sections.push_back(text_sections::table_text(table, {.rows = kMostRows}, style));
  sections.push_back(replaced_text(diff, style));
  sections.push_back(counts_text(diff.counts, style));
  std::erase(sections, "");
  return fmt::format("{}", fmt::join(sections, "\n"));
}

}  // namespace stepscope
