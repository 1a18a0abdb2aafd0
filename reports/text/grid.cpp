// SPDX-License-Identifier: Apache-2.0
#include "reports/text/grid.hpp"

#include <algorithm>

namespace stepscope {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kWidestCell = 120;

std::string aligned(const TextCell& cell, Align align, std::size_t width, const Style& style) {
  const std::string gap(width - std::min(width, columns_of(cell.text)), ' ');
  const std::string text = style.paint(cell.colour, cell.text);
  return align == Align::left ? text + gap : gap + text;
}

using TextRows = std::vector<std::vector<TextCell>>;

// The first column names its row.
bool says_something(const TextRows& rows, bool has_head, std::size_t column) {
  return column == 0 || std::any_of(rows.begin() + (has_head ? 1 : 0), rows.end(), [&](auto& row) {
           return column < row.size() && !row[column].text.empty();
         });
}

// Without the columns that are not shown.
std::vector<TextCell> shown_cells(std::vector<TextCell> row, const std::vector<bool>& shown) {
  std::vector<TextCell> out;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (shown[c]) out.push_back(std::move(row[c]));
  }
  return out;
}

void trim_end(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
}

}  // namespace

void Grid::head(std::vector<std::string> titles) {
  std::vector<TextCell> cells;
  for (std::string& title : titles) cells.push_back({std::move(title), Colour::bold});
  rows_.insert(rows_.begin(), std::move(cells));
  has_head_ = true;
}

std::string Grid::render(const Style& style) const {
  std::vector<bool> shown;
  std::vector<Align> columns;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    shown.push_back(says_something(rows_, has_head_, c));
    if (shown[c]) columns.push_back(columns_[c]);
  }
  TextRows rows;
  for (const std::vector<TextCell>& row : rows_) {
    rows.push_back(shown_cells(row, shown));
    for (TextCell& cell : rows.back()) cell.text = style.cut_end(cell.text, kWidestCell);
  }
  const auto indent = [this](std::size_t r) { return has_head_ && r == 0 ? 0 : kIndent; };
  std::vector<std::size_t> widths(columns.size(), 0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      const std::size_t cell = std::min(columns_of(rows[r][c].text), kWidestCell);
      widths[c] = std::max(widths[c], cell + (c == 0 ? indent(r) : 0));
    }
  }
  std::string out;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line(indent(r), ' ');
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c > 0) line += "  ";
      line += aligned(rows[r][c], columns[c], widths[c] - (c == 0 ? indent(r) : 0), style);
    }
    trim_end(line);
    out += line + "\n";
  }
  return out;
}

}  // namespace stepscope
