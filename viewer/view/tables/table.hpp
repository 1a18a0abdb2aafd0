// SPDX-License-Identifier: Apache-2.0
// A table as text, which the screen draws, sorts and filters, and copies as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attribution/cause.hpp"

namespace stepscope::viewer {

struct TableColumn {
  std::string title;
  float width = 0;  // in unscaled pixels; 0: what is left
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
  std::string title;  // of its tab
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<std::string> notes;  // sentences above it
  std::string empty;               // what is said where there are no rows
};

// A line a row, cells apart by tabs.
std::string as_text(const Table& table);

// Keeps rows of which a cell holds the text, whatever its case.
Table filtered(Table table, const std::string& text);
void sort_by(Table& table, std::size_t column, bool descending);

}  // namespace stepscope::viewer
