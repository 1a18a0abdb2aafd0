// SPDX-License-Identifier: Apache-2.0
#include "viewer/view/tables/table.hpp"

#include <algorithm>
#include <cctype>

namespace stepscope::viewer {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_less(const TableCell& a, const TableCell& b) {
  if (a.value && b.value) return *a.value < *b.value;
  return a.text < b.text;
}

}  // namespace

std::string as_text(const Table& table) {
  std::string out;
  for (const std::string& note : table.notes) out += note + "\n";
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out += (i > 0 ? "\t" : "") + table.columns[i].title;
  out += "\n";
  for (const TableRow& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      out += (i > 0 ? "\t" : "") + row.cells[i].text;
    out += "\n";
  }
  return out;
}

Table filtered(Table table, const std::string& text) {
  if (text.empty()) return table;
  const std::string wanted = lower(text);
  std::erase_if(table.rows, [&](const TableRow& row) {
    return std::none_of(row.cells.begin(), row.cells.end(), [&](const TableCell& cell) {
      return lower(cell.text).find(wanted) != std::string::npos;
    });
  });
  return table;
}

void sort_by(Table& table, std::size_t column, bool descending) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
    if (a.sum != b.sum) return b.sum;
    return descending ? is_less(b.cells[column], a.cells[column])
                      : is_less(a.cells[column], b.cells[column]);
  });
}

}  // namespace stepscope::viewer
