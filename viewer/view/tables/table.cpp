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

bool says_something(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [&](const TableRow& row) { return !row.cells[column].text.empty(); });
}

float widest_cell(const Table& table, std::size_t column, float swatch, const TextWidth& width) {
  // Its title has a mark of the order behind it.
  float widest = width(table.columns[column].title + "  ^");
  for (const TableRow& row : table.rows) {
    const float before = row.swatch && column == named_column(table) ? swatch : 0;
    widest = std::max(widest, before + width(row.cells[column].text));
  }
  return widest;
}

// The width that no words exceed where all of them together must fit into the room.
float fair_width(std::vector<float> wanted, float room, float least) {
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const float share = room / static_cast<float>(wanted.size() - i);
    if (wanted[i] > share) return std::max(least, share);
    room -= wanted[i];
  }
  return wanted.empty() ? 0 : wanted.back();
}

}  // namespace

Table without_empty_columns(Table table) {
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    if (table.rows.empty() || says_something(table, i)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (TableRow& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
  return table;
}

std::size_t named_column(const Table& table) {
  std::size_t column = 0;
  while (column + 1 < table.columns.size() && table.columns[column].number) ++column;
  return column;
}

std::vector<float> column_widths(const Table& table, float room, float swatch,
                                 const TextWidth& width) {
  std::vector<float> out, words;
  float numbers = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    out.push_back(widest_cell(table, i, swatch, width));
    if (table.columns[i].number) {
      numbers += out[i];
    } else {
      words.push_back(out[i]);
      last = i;
    }
  }
  const float most = fair_width(words, room - numbers, 2 * swatch);
  float used = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!table.columns[i].number) out[i] = std::min(out[i], most);
    used += out[i];
  }
  if (used < room) out[last] += room - used;
  return out;
}

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
