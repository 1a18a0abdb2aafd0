// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/report/wording/numbers.hpp"

namespace stepscope::viewer {
namespace {

using report::Kind;
using report::Link;

RowAction action_of(Link::To to) {
  switch (to) {
    case Link::To::phase:
      return RowAction::show_phase;
    case Link::To::kernel:
      return RowAction::choose_kernel;
    case Link::To::cause:
      return RowAction::show_cause;
    case Link::To::event:
      return RowAction::show_event;
    case Link::To::operation:
      return RowAction::search;
    case Link::To::rank:
      return RowAction::pick_rank;
    case Link::To::part:
      return RowAction::show_group;
    case Link::To::nothing:
      break;
  }
  return RowAction::nothing;
}

std::string name_text(const report::Name& name, std::uint32_t depth) {
  const std::string indented = std::string(std::size_t{3} * depth, ' ') + name.text;
  return name.remark.empty() ? indented : indented + " (" + name.remark + ")";
}

std::string work_text(const report::Name& work) {
  const bool is_one = work.text.empty() || work.remark.empty();
  return work.text + (is_one ? "" : ": ") + work.remark;
}

std::string place_text(const report::Place& at) {
  return fmt::format("{}:{} {}{}", at.shown, at.line, at.function, direction_text(at.direction));
}

std::string text_of(const report::Table& table, const report::Row& row, std::size_t column) {
  const report::Cell& cell = row.cells[column];
  if (const auto* cause = std::get_if<Cause>(&cell)) return std::string(name_of(*cause));
  if (const auto* name = std::get_if<report::Name>(&cell))
    return table.columns[column].kind == Kind::work ? work_text(*name)
                                                    : name_text(*name, row.depth);
  if (const auto* at = std::get_if<report::Place>(&cell)) return place_text(*at);
  if (const auto* words = std::get_if<report::Words>(&cell)) return words->text;
  if (const auto* parts = std::get_if<report::CauseParts>(&cell))
    return report::causes_text(*parts, std::numeric_limits<std::size_t>::max());
  return report::number_text(table, table.columns[column].kind, cell);
}

// A number that nobody knows sorts as the least.
TableCell cell_of(const report::Table& table, const report::Row& row, std::size_t column) {
  const bool is_number = report::is_number(table.columns[column].kind);
  const std::optional<double> value = report::number_of(row.cells[column]);
  return {text_of(table, row, column), is_number ? value.value_or(0) : value};
}

// Returns the number of what a row leads to: a rank, a part of a difference, or a cause.
std::size_t index_of_row(const report::Row& row) {
  if (row.link.to == Link::To::rank || row.link.to == Link::To::part)
    return std::stoul(row.link.text);
  return row.cause ? index_of(*row.cause) : 0;
}

TableRow row_of(const report::Table& table, const report::Row& row) {
  TableRow out{{}, row.cause, action_of(row.link.to), index_of_row(row), row.link.text};
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].kind != Kind::exact) out.cells.push_back(cell_of(table, row, i));
  }
  return out;
}

}  // namespace

Table table_of_report(const report::Table& table) {
  Table out{table.tab, {}, {}, table.texts, table.empty};
  for (const report::Column& column : table.columns)
    if (column.kind != Kind::exact)
      out.columns.push_back({report::title_of(column), report::is_number(column.kind)});
  for (const report::Row& row : table.rows) out.rows.push_back(row_of(table, row));
  for (const auto* end : {&table.first, &table.sum}) {
    if (!*end || (table.rows.empty() && !table.first)) continue;
    out.rows.push_back(row_of(table, **end));
    out.rows.back().sum = true;
  }
  return out;
}

}  // namespace stepscope::viewer
