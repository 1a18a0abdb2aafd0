// SPDX-License-Identifier: Apache-2.0
// The lines that a side's tables name, by file, with what they did and what their text is: what
// files and lines are paired by. Internal to core/compare.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/compare/work_item.hpp"
#include "core/summary/summary.hpp"

namespace stepscope::compare_parts {

// An operation and the direction in which the line ran it; its share of the line's time, or of the
// line's calls where the line owns no time.
using WorkShares = std::map<std::pair<std::string, Direction>, double>;

struct LineWork {
  std::uint32_t line = 0;
  std::string function;
  std::string text;  // empty: not known
  WorkShares shares;
  double size = 0;  // the time, or the number of calls, that the shares are of
};

struct FileWork {
  std::vector<LineWork> lines;         // in order
  const SourceText* source = nullptr;  // where the run kept it
};

using FileWorks = std::map<std::string, FileWork>;  // by path

// All data of one side by which its lines can be recognised.
struct SideLines {
  const std::vector<WorkItem>& items;
  const std::vector<WorkCount>& counts;
  const std::vector<SourceText>& sources;
};

FileWorks works_by_file(const SideLines& side);

// 1: the shares are of the same operations; 0: of others. Times may differ: a line that is ten
// times as slow does the same work.
double work_in_common(const WorkShares& a, const WorkShares& b);

// Returns the share of two lines' words that both have.
double words_in_common(const std::string& a, const std::string& b);

}  // namespace stepscope::compare_parts
