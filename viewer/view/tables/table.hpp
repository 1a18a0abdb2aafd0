// SPDX-License-Identifier: Apache-2.0
// A table as text, which the screen draws, sorts and filters, and copies as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/report/table.hpp"
#include "viewer/view/desk.hpp"
#include "viewer/view/text_fit.hpp"

namespace stepscope::viewer {

struct TableColumn {
  std::string title;
  bool number = false;
};

struct TableCell {
  std::string text;
  std::optional<double> value;  // by which it sorts; without one by its text
};

// What a click on a row does.
enum class RowAction : std::uint8_t {
  nothing,
  choose_kernel,  // `text`: its name
  search,         // `text`
  show_event,     // `text`: its id
  show_cause,     // `index`
  show_phase,     // `text`: its path
  show_group,     // `index` of Desk::groups()
  show_finding,   // `index`
  pick_rank,      // `index`: the rank
  go_to_mark,     // `index`
};

struct TableRow {
  std::vector<TableCell> cells;
  std::optional<Cause> swatch;  // before the first cell
  RowAction action = RowAction::nothing;
  std::size_t index = 0;
  std::string text;
  bool sum = false;  // stays at the end however the table is sorted
};

struct Table {
  std::string title;  // title of its tab
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<std::string> notes;  // sentences above it
  std::string empty;               // what is said where there are no rows
};

// Without the columns in which no row says anything; the first one names its row and stays.
Table without_empty_columns(Table table);

// Returns where the name of a row's cause stands: in the first column that is no number.
std::size_t named_column(const Table& table);

// Returns how wide each column is drawn, of `room` in all; `swatch`: what precedes the cause's
// name. Each column is as wide as its widest cell, and the last one of words takes what is left.
// Where that is too much, the widest words give way first, numbers never.
std::vector<float> column_widths(const Table& table, float room, float swatch,
                                 const TextWidth& width);

// A line a row, cells apart by tabs.
std::string as_text(const Table& table);

// Keeps rows of which a cell holds the text, whatever its case.
Table filtered(Table table, const std::string& text);
void sort_by(Table& table, std::size_t column, bool descending);

// The tables of two runs' difference: as `stepscope diff` prints them, from the same comparison.

// Empty for one run.
std::vector<Table> difference_tables(const Desk& desk);

// A table of a report on the screen: all of its rows, without exact totals, each leading to what it
// stands for in the timeline.

Table table_of_report(const report::Table& table);

// The tables of the screen: the same numbers in the same words as the reports print.

// The tables of a desk in the order of their tabs; those that have nothing to say are left out.
std::vector<Table> tables_of(const Desk& desk);

// Does what a click on the row does.
void act(Desk& desk, const TableRow& row);

}  // namespace stepscope::viewer
