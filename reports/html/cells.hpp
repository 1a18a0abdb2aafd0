// SPDX-License-Identifier: Apache-2.0
// Cells, rows and bars of a page's tables.
//
// A number's cell carries what it was made of: data-v for the script that sorts, data-ns where
// sums must be exact. A table leaves out the columns in which no row says anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/attribution/cause.hpp"
#include "core/report/notes.hpp"
#include "core/report/wording/verdict.hpp"
#include "reports/markup/markup.hpp"

namespace stepscope::html {

enum class ColumnKind : std::uint8_t { words, number, bar };

struct Column {
  std::string title;
  ColumnKind kind = ColumnKind::number;
};

// The cells of one row from left to right: one, or several that were added up.
class Cells {
 public:
  Cells() = default;
  Cells(Markup cell, bool says_something) : cells_{{std::move(cell), says_something}} {}

  Cells& operator+=(const Cells& others);
  friend Cells operator+(Cells a, const Cells& b) { return a += b; }

  bool says(std::size_t column) const { return column < cells_.size() && cells_[column].says; }
  Markup in(const std::vector<bool>& columns) const;  // by column: whether it is shown

 private:
  struct Cell {
    Markup markup;
    bool says;
  };
  std::vector<Cell> cells_;
};

struct TableRow {
  Attributes attributes;
  Cells cells;
};
using TableRows = std::vector<TableRow>;

Cells words_cell(const Markup& content);
Cells words_cell(std::string_view content);
Cells code_cell(std::string_view shown, std::string_view title);  // an operation's name
Cells number_cell(std::string_view shown, double value);
Cells exact_cell(std::int64_t ns);  // every digit of it

// A bar of `share` of its cell, in the family's colour and pattern.
Cells bar_cell(double share, CauseFamily family);
Cells bar_cell(double share, std::string_view css_class);
Markup cause_label(Cause cause);  // a swatch of its family, and its id

TableRow row(Attributes attributes, Cells cells);
TableRow sum_row(Cells cells);

// A table that may scroll sideways on its own. A sortable one lets the reader order its rows.
struct TableOptions {
  std::string id;
  bool sortable = false;
};
Markup table(const std::vector<Column>& columns, const TableRows& rows, const TableRows& foot,
             const TableOptions& options = {});

// A table of core/report. `prefix`: of its id, where several reports share a page.
Markup plain_table(const report::Table& table, const std::string& prefix);

// A sentence: its lines never end between a number and its unit or inside an arrow.
Markup prose(std::string_view sentence);

// A section of the page; `wide`: as wide as the page, however wide that is.
Markup section(std::string_view id, std::string_view title, const Markup& content,
               bool wide = false);
Markup note(Tone tone, std::string_view sentence);
Markup paragraph_of(const report::Note& note);  // with a list of what it is about

// A whole page around its content: one file that needs nothing beside it, no network, and no script
// to be read (the script sorts, filters and switches the theme).

std::string page(std::string_view title, const Markup& content);

}  // namespace stepscope::html

namespace stepscope {

// The style sheet and the script of a page, compiled in from reports/html/assets.

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace stepscope
