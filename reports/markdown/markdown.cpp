// SPDX-License-Identifier: Apache-2.0
#include "reports/markdown/markdown.hpp"

#include <algorithm>

#include "reports/markup/markup.hpp"

namespace stepscope::markdown {
namespace {

constexpr std::string_view kMeaningful = "\\`*_{}[]()#+!|~$^";

std::string in_one_line(std::string_view words) {
  std::string out = printable(words);
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char at : text) {
    run = at == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string joined_cells(const std::vector<std::string>& cells, const std::vector<bool>& shown) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (shown[i]) line += " " + cells[i] + " |";
  }
  return line + "\n";
}

// The first column names its row.
std::vector<bool> shown_columns(std::size_t count,
                                const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> shown(count, rows.empty());
  if (count > 0) shown[0] = true;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) shown[i] = shown[i] || !row[i].empty();
  }
  return shown;
}

}  // namespace

// "@" followed by nothing visible breaks a mention, and nothing else is seen of it.
std::string escaped(std::string_view words) {
  std::string out;
  for (const char c : in_one_line(words)) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '@') {
      out += "@<!-- -->";
    } else {
      if (kMeaningful.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string code(std::string_view name) {
  const std::string text = in_one_line(name);
  if (text.find_first_not_of(' ') == std::string::npos) return "";
  std::string inner;
  for (const char c : text) inner += c == '|' ? "\\|" : std::string(1, c);
  const std::string fence(longest_run(text, '`') + 1, '`');
  const bool touches = text.front() == '`' || text.back() == '`';
  return touches ? fence + " " + inner + " " + fence : fence + inner + fence;
}

std::string table(const std::vector<MarkdownColumn>& columns,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<std::string> rules;
  for (const MarkdownColumn& column : columns) {
    titles.push_back(column.title);
    rules.emplace_back(column.align == MarkdownAlign::left ? ":---" : "---:");
  }
  const std::vector<bool> shown = shown_columns(columns.size(), rows);
  std::string out = joined_cells(titles, shown) + joined_cells(rules, shown);
  for (const auto& row : rows) out += joined_cells(row, shown);
  return out + "\n";
}

}  // namespace stepscope::markdown
