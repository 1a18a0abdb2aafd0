// SPDX-License-Identifier: Apache-2.0
// Which source line of A is which of B, where a file was edited in between.
//
// Files pair by path, else where each has the longest end of its path in common with the other, and
// with no third one: two checkouts of a repository. Within a pair and a
// function, lines keep their order: of all order-preserving pairings the one with the most time in
// common is taken, time in common being the sum over (phase, cause, operation) of the smaller of
// both sides' times, and a nanosecond for an equal number. Then a single line left over on each
// side between two pairs is one more, and lines left over in a file are paired likewise whatever
// their function. Where lines of equal numbers and functions have nine tenths of that in common,
// they are the pairs instead: nobody edited the file. The sides may be swapped: the same lines
// pair. Internal to core/compare.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/work_item.hpp"

namespace stepscope::compare_parts {

using Line = std::pair<std::string, std::uint32_t>;  // file and line

// A row a line of either side. Line 0: that side has none. The same row for both sides of a pair.
struct LinePair {
  Line a;
  Line b;
  std::string function;
};

class LineMatching {
 public:
  LineMatching(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b);

  // Row of `pairs` of a side's line; row 0 is "no line" on both sides.
  std::size_t of_a(const WorkItem& item) const { return a_rows_.at({item.file, item.line}); }
  std::size_t of_b(const WorkItem& item) const { return b_rows_.at({item.file, item.line}); }
  const std::vector<LinePair>& pairs() const { return pairs_; }

 private:
  void build(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b);

  std::map<Line, std::size_t> a_rows_;
  std::map<Line, std::size_t> b_rows_;
  std::vector<LinePair> pairs_;
};

}  // namespace stepscope::compare_parts
