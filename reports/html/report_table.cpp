// SPDX-License-Identifier: Apache-2.0
// A table of a report on a page: bars, exact totals, and a row for what is left out. Where the rows
// are causes, one bar of all of them stands above it; where they are source lines, each unfolds.
#include <fmt/format.h>

#include "core/report/wording/numbers.hpp"
#include "reports/html/cells.hpp"
#include "reports/html/sections.hpp"

namespace stepscope::html {
namespace {

using report::Kind;
using report::Row;
using report::Shown;
using report::Table;

constexpr std::size_t kMostRows = 200;
constexpr std::size_t kLongestName = 160;
constexpr std::size_t kLongestWork = 60;
constexpr std::size_t kLongestTitle = 1000;

std::string class_of(const Table& table, const Row& row) {
  if (table.bars == report::Bars::of_change)
    return report::total_of(table, row) < 0 ? "better" : "worse";
  return row.cause ? fmt::format("f-{}", name_of(family_of(*row.cause))) : "phase";
}

Cells name_cell(const report::Name& name, const Row& row) {
  const std::string shown = shortened(name.text, kLongestName);
  if (!name.whole.empty())
    return code_cell(shown, name.whole == name.text ? "" : shortened(name.whole, kLongestTitle));
  const std::string depth = fmt::format("padding-left:{:.1f}em", 1.2 * row.depth);
  const Markup inner =
      row.depth > 0 ? element("span", {{"style", depth}}, text(shown)) : prose(shown);
  return words_cell(
      name.remark.empty() ? inner : inner + Markup(" ") + element("small", text(name.remark)));
}

// An operation, whose whole name shows where the pointer rests, and how it differs.
Cells work_cell(const report::Name& work) {
  if (work.text.empty()) return words_cell(work.remark);
  Attributes title;
  if (work.whole.size() > kLongestWork || work.whole != work.text)
    title = {{"title", shortened(work.whole, kLongestTitle)}};
  const Markup name = element("code", title, text(shortened(work.text, kLongestWork)));
  return words_cell(name + text(work.remark.empty() ? "" : ": " + work.remark));
}

Cells cell_of(const Table& table, const Row& row, std::size_t column) {
  const report::Cell& cell = row.cells[column];
  const Kind kind = table.columns[column].kind;
  if (const auto* cause = std::get_if<Cause>(&cell)) return words_cell(cause_label(*cause));
  if (const auto* name = std::get_if<report::Name>(&cell))
    return kind == Kind::where  ? words_cell(name->text)  // the phase has its own column here
           : kind == Kind::work ? work_cell(*name)
                                : name_cell(*name, row);
  if (const auto* words = std::get_if<report::Words>(&cell))
    return kind == Kind::difference ? number_cell(words->text, 0) : words_cell(words->text);
  const auto* amount = std::get_if<report::Amount>(&cell);
  if (kind == Kind::exact && amount) return exact_cell(amount->total);
  if (!report::is_number(kind)) return words_cell("");
  return number_cell(report::number_text(table, kind, cell), report::number_of(cell).value_or(0));
}

Cells cells_of(const Table& table, const Row& row, bool has_bar) {
  Cells out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out += cell_of(table, row, i);
    if (i == 0)
      out += has_bar ? bar_cell(report::bar_share(table, row, table.bars), class_of(table, row))
                     : words_cell("");
  }
  return out;
}

Attributes attributes_of(const Table& table, const Row& row) {
  const std::int64_t total = report::total_of(table, row);
  Attributes out;
  if (table.bars == report::Bars::of_change)
    out.emplace_back("data-table", table.id);
  else if (table.columns[0].kind == Kind::cause)
    out.emplace_back("data-cause", std::string(name_of(*row.cause)));
  else if (row.link.to == report::Link::To::phase && table.sum)
    out = {{"data-phase", row.link.text}, {"data-depth", std::to_string(row.depth)}};
  out.emplace_back("data-ns", table.bars == report::Bars::none ? "" : std::to_string(total));
  out.emplace_back("class", row.depth > 0 ? "inner" : "");
  return out;
}

TableRows foot_rows(const Table& table, const Shown& shown) {
  const bool is_diff = table.bars == report::Bars::of_change;
  TableRows out;
  if (shown.rest) {
    Attributes attributes = attributes_of(table, *shown.rest);
    attributes.back().second = "sum";
    out.push_back(html::row(std::move(attributes), cells_of(table, *shown.rest, false)));
  }
  if (table.sum)
    out.push_back(html::row({{"class", "sum"},
                             {is_diff ? "data-delta-ns" : "data-wall-ns",
                              std::to_string(report::total_of(table, *table.sum))}},
                            cells_of(table, *table.sum, false)));
  return out;
}

std::vector<Column> columns_of(const Table& table) {
  std::vector<Column> out;
  for (const report::Column& column : table.columns) {
    const bool is_number = report::is_number(column.kind);
    out.push_back({report::title_of(column), is_number ? ColumnKind::number : ColumnKind::words});
    if (out.size() == 1) out.push_back({"", ColumnKind::bar});
  }
  return out;
}

// Rows below their own sum, or below the one that they are in, stay where they are.
bool is_sortable(const Table& table) {
  return table.bars == report::Bars::of_change ||
         (table.columns[0].kind == Kind::name && !table.sum);
}

Markup segment(const Table& table, const Row& row) {
  const std::string cause(name_of(*row.cause));
  const double percent = 100 * report::bar_share(table, row, report::Bars::of_whole);
  std::string title = cause + ":";
  for (std::size_t i = 1; i < 3; ++i)
    title += fmt::format(" {}{}", report::number_text(table, table.columns[i].kind, row.cells[i]),
                         i == 1 ? " " + table.columns[i].title + "," : "");
  const std::string label = percent >= 9 ? fmt::format("{} {:.0f} %", cause, percent) : "";
  return element("span",
                 {{"class", class_of(table, row)},
                  {"style", fmt::format("width:{:.3f}%", percent)},
                  {"title", title}},
                 label.empty() ? Markup() : element("b", text(label)));
}

// One bar of all rows, family by family, and what the families mean.
Markup whole_bar(const Table& table) {
  Markup segments;
  Markup legend;
  for (const CauseFamily family : kCauseFamilies) {
    Markup of_family;
    for (const Row& row : table.rows)
      if (family_of(*row.cause) == family) of_family += segment(table, row);
    if (of_family.empty()) continue;
    segments += of_family;
    const std::string swatch = fmt::format("swatch f-{}", name_of(family));
    legend += element("span", element("i", {{"class", swatch}}, {}) + text(meaning_of(family)));
  }
  return element("div", {{"class", "whole"}}, segments) + Markup("\n") +
         element("p", {{"class", "legend"}}, legend) + Markup("\n");
}

}  // namespace

Markup plain_table(const Table& table, const std::string& prefix) {
  const Shown shown = report::first_rows(table, kMostRows);
  TableRows rows;
  if (table.first)
    rows.push_back(html::row({{"class", "sum"}}, cells_of(table, *table.first, false)));
  for (const Row* row : shown.rows)
    rows.push_back(html::row(attributes_of(table, *row), cells_of(table, *row, true)));
  TableOptions options;
  if (is_sortable(table)) options = {prefix + table.id + "-table", true};
  return html::table(columns_of(table), rows, foot_rows(table, shown), options);
}

Markup table_section(const Report& report, const Table& table) {
  if (table.rows.empty()) return {};
  const Kind first = table.columns[0].kind;
  Markup content;
  if (first == Kind::cause && table.keeps_outermost) content += whole_bar(table);
  content += first == Kind::place ? line_list(report, table) : plain_table(table, report.prefix);
  for (const std::string& sentence : table.texts) content += element("p", text(sentence));
  return section(report.id(table.id), table.title, content);
}

}  // namespace stepscope::html
