// SPDX-License-Identifier: Apache-2.0
// Which source line of A is which of B, where a file was edited in between.
//
// file_matching says which file is which. Where both runs kept its text, lines of equal text are
// one line, and text_alignment finds them: also those that only one side ran, and those that moved.
// What then remains between two such lines are lines that were edited: they pair in order by their
// words and their work. Where a side has no text, the lines that its tables name pair in order by
// their work, their function and their distance from the lines around them; what is left over is
// paired once more, as lines that changed their order. The sides may be swapped: the same lines
// pair.
// Internal to core/compare.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/line_work.hpp"

namespace stepscope::compare_parts {

using Line = std::pair<std::string, std::uint32_t>;  // file and line

// A row a line of either side. Line 0: that side's file has none. The same row for both sides of a
// pair.
struct LinePair {
  Line a;
  Line b;
  std::string a_function;  // as the side's tables name it; empty where they do not name the line
  std::string b_function;

  const std::string& file() const { return b.first.empty() ? a.first : b.first; }
  std::uint32_t line() const { return b.first.empty() ? a.second : b.second; }
  const std::string& function() const { return b_function.empty() ? a_function : b_function; }
};

class LineMatching {
 public:
  LineMatching(const SideLines& a, const SideLines& b);

  // Row of `pairs` of a line that the side's tables name; row 0 is "no line" on both sides.
  std::size_t of_a(const Line& line) const { return a_rows_.at(line); }
  std::size_t of_b(const Line& line) const { return b_rows_.at(line); }
  std::size_t of_a(const WorkItem& item) const { return of_a(Line{item.file, item.line}); }
  std::size_t of_b(const WorkItem& item) const { return of_b(Line{item.file, item.line}); }
  const std::vector<LinePair>& pairs() const { return pairs_; }

 private:
  void build(const FileWorks& a, const FileWorks& b);
  void add(LinePair pair);

  std::map<Line, std::size_t> a_rows_;
  std::map<Line, std::size_t> b_rows_;
  std::vector<LinePair> pairs_;
};

}  // namespace stepscope::compare_parts
