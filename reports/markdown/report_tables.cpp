// SPDX-License-Identifier: Apache-2.0
// A table of a report in Markdown: the largest rows, and one that sums the rest.
#include <fmt/format.h>

#include "core/report/wording/numbers.hpp"
#include "reports/markdown/report_sections.hpp"

namespace stepscope::markdown {
namespace {

using report::Kind;
using report::Row;
using report::Shown;
using report::Table;

constexpr std::size_t kMostTableRows = 12;
constexpr std::size_t kMostSummedRows = 20;
constexpr std::size_t kLongestName = 80;
constexpr std::size_t kLongestWork = 60;
constexpr std::size_t kCauseColumns = 60;

std::string name_cell(const report::Name& name, const Row& row) {
  std::string out;
  for (std::uint32_t i = 0; i < row.depth; ++i) out += "&emsp;";
  out += code(shortened(name.text, kLongestName));
  return name.remark.empty() ? out : out + " (" + escaped(name.remark) + ")";
}

std::string place_cell(const report::Place& at) {
  std::string out = code(fmt::format("{}:{}", at.shown, at.line));
  if (!at.function.empty())
    out += (at.kind == SiteKind::call ? " in " : " somewhere in ") +
           code(shortened(at.function, kLongestName));
  return out + direction_text(at.direction);
}

std::string where_cell(const report::Name& at) {
  return code(at.text) + (at.remark.empty() ? "" : " in " + code(at.remark));
}

// "`gemm`: 12 -> 6 calls"
std::string work_cell(const report::Name& work) {
  const std::string name = code(shortened(work.text, kLongestWork));
  const bool is_one = name.empty() || work.remark.empty();
  return name + (is_one ? "" : ": ") + escaped(work.remark);
}

std::string verdict_cell(const report::Words& words) {
  if (words.tone == Tone::good || words.tone == Tone::neutral) return escaped(words.text);
  const char* mark = words.tone == Tone::bad ? "**" : "*";
  return mark + escaped(words.text) + mark;
}

std::string words_cell(Kind kind, const report::Words& words) {
  if (kind == Kind::verdict) return verdict_cell(words);
  const bool is_name = kind == Kind::phase || kind == Kind::id;
  return is_name ? code(shortened(words.text, kLongestName)) : escaped(words.text);
}

std::string cell_of(const Table& table, const Row& row, std::size_t column) {
  const report::Cell& cell = row.cells[column];
  const Kind kind = table.columns[column].kind;
  if (const auto* cause = std::get_if<Cause>(&cell)) return code(name_of(*cause));
  if (const auto* name = std::get_if<report::Name>(&cell))
    return kind == Kind::where  ? where_cell(*name)
           : kind == Kind::work ? work_cell(*name)
                                : name_cell(*name, row);
  if (const auto* at = std::get_if<report::Place>(&cell)) return place_cell(*at);
  if (const auto* words = std::get_if<report::Words>(&cell)) return words_cell(kind, *words);
  if (const auto* parts = std::get_if<report::CauseParts>(&cell))
    return escaped(report::causes_text(*parts, kCauseColumns));
  return report::number_text(table, kind, cell);
}

std::vector<std::string> cells_of(const Table& table, const Shown& shown, const Row& row) {
  std::vector<std::string> out;
  for (const std::size_t i : shown.columns) out.push_back(cell_of(table, row, i));
  return out;
}

std::vector<std::string> bold_cells(const Table& table, const Shown& shown, const Row& row) {
  std::vector<std::string> out = cells_of(table, shown, row);
  for (std::string& cell : out) cell = bold(cell);
  return out;
}

std::vector<MarkdownColumn> columns_of(const Table& table, const Shown& shown) {
  std::vector<MarkdownColumn> out;
  for (const std::size_t i : shown.columns) {
    const bool is_number = report::is_number(table.columns[i].kind);
    out.push_back({report::title_of(table.columns[i]),
                   is_number ? MarkdownAlign::right : MarkdownAlign::left});
  }
  return out;
}

}  // namespace

std::string table_rows(const Table& value, std::size_t most) {
  if (value.rows.empty() && !value.first) return "";
  Shown shown = report::first_rows(value, most);
  std::erase_if(shown.columns,
                [&](std::size_t i) { return value.columns[i].kind == Kind::detail; });
  std::vector<std::vector<std::string>> rows;
  if (value.first) rows.push_back(bold_cells(value, shown, *value.first));
  for (const Row* row : shown.rows) rows.push_back(cells_of(value, shown, *row));
  if (shown.rest) rows.push_back(cells_of(value, shown, *shown.rest));
  if (value.sum) rows.push_back(bold_cells(value, shown, *value.sum));
  return table(columns_of(value, shown), rows);
}

std::string table_section(const Table& value) {
  if (value.rows.empty()) return "";
  std::string texts;
  for (const std::string& sentence : value.texts) texts += "- " + escaped(sentence) + "\n";
  return paragraph("### " + escaped(value.title)) +
         table_rows(value, value.sum ? kMostSummedRows : kMostTableRows) +
         (texts.empty() ? "" : texts + "\n");
}

}  // namespace stepscope::markdown
