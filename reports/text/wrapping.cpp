// SPDX-License-Identifier: Apache-2.0
// Lines of at most kColumns, continued under their own beginning.
#include <algorithm>

#include "reports/text/sections.hpp"
#include "reports/text/style.hpp"

namespace stepscope::text_sections {
namespace {

constexpr std::size_t kLongestWord = 4 * kColumns;

// A fact that fills more than a line may be broken behind a semicolon, or else behind a comma.
void add_clauses(std::string_view fact, std::size_t room, std::vector<std::string_view>& out) {
  const std::size_t semicolon = fact.find("; ");
  const std::size_t end = semicolon == std::string_view::npos ? fact.find(", ") : semicolon;
  if (columns_of(fact) <= room || end == std::string_view::npos) return out.push_back(fact);
  add_clauses(fact.substr(0, end + 1), room, out);
  add_clauses(fact.substr(end + 2), room, out);
}

}  // namespace

std::string wrapped(std::string_view first, std::string_view raw, const Style& style,
                    Colour colour) {
  const std::string clean = unbroken(one_line(raw));
  std::string_view text = clean;
  const std::size_t indent = columns_of(first);
  std::string out(first);
  std::size_t column = indent;
  std::string line;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string word = style.cut_end(text.substr(0, blank), kLongestWord);
    text.remove_prefix(std::min(blank + 1, text.size()));
    if (column > indent && column + 1 + columns_of(word) > kColumns) {
      out += style.paint(colour, line) + "\n" + std::string(indent, ' ');
      line.clear();
      column = indent;
    }
    if (!line.empty()) line += ' ';
    column += columns_of(word) + (line.empty() ? 0 : 1);
    line += word;
  }
  return with_blanks(out + style.paint(colour, line) + "\n");
}

std::string wrapped_facts(std::string_view first, const std::vector<std::string>& facts,
                          const Style& style, Colour colour) {
  const std::size_t indent = columns_of(first);
  std::vector<std::string_view> clauses;
  for (const std::string& fact : facts) add_clauses(fact, kColumns - indent, clauses);
  std::string out(first), line;
  for (const std::string_view clause : clauses) {
    if (!line.empty() && indent + columns_of(line) + 1 + columns_of(clause) > kColumns) {
      out += style.paint(colour, line) + "\n" + std::string(indent, ' ');
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(clause);
  }
  return out + style.paint(colour, line) + "\n";
}

}  // namespace stepscope::text_sections
