// SPDX-License-Identifier: Apache-2.0
#include "core/compare/line_matching.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/compare/file_matching.hpp"

namespace stepscope::compare_parts {
namespace {

// An order of pairings that are equally good: the same one must win whichever side is A.
bool comes_first(const std::vector<WorkItem>& a, const std::vector<WorkItem>& b) {
  const auto key = [](const WorkItem& i) {
    return std::tie(i.file, i.line, i.function, i.phase, i.cause, i.operation, i.direction, i.ns);
  };
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const WorkItem& x, const WorkItem& y) { return key(x) < key(y); });
}

const LineWork* line_numbered(const FileWork& file, std::uint32_t number) {
  const auto at = std::lower_bound(
      file.lines.begin(), file.lines.end(), number,
      [](const LineWork& line, std::uint32_t wanted) { return line.line < wanted; });
  return at != file.lines.end() && at->line == number ? &*at : nullptr;
}

}  // namespace

LineMatching::LineMatching(const SideLines& a, const SideLines& b) {
  const FileWorks of_a = works_by_file(a), of_b = works_by_file(b);
  if (!comes_first(b.items, a.items)) {
    build(of_a, of_b);
    return;
  }
  build(of_b, of_a);
  std::swap(a_rows_, b_rows_);
  for (LinePair& pair : pairs_) {
    std::swap(pair.a, pair.b);
    std::swap(pair.a_function, pair.b_function);
  }
}

void LineMatching::add(LinePair pair) {
  if (!pair.a.first.empty()) a_rows_[pair.a] = pairs_.size();
  if (!pair.b.first.empty()) b_rows_[pair.b] = pairs_.size();
  pairs_.push_back(std::move(pair));
}

void LineMatching::build(const FileWorks& a, const FileWorks& b) {
  a_rows_[{"", 0}] = b_rows_[{"", 0}] = 0;
  pairs_.push_back({});
  const std::map<std::string, std::string> files = match_files(a, b);
  std::set<std::string> paired_b;
  for (const auto& [path, file] : a) {
    const auto other = files.find(path);
    static const FileWork kNoFile;
    const FileWork& b_file = other == files.end() ? kNoFile : b.at(other->second);
    const std::string b_path = other == files.end() ? "" : other->second;
    if (!b_path.empty()) paired_b.insert(b_path);
    const FilePairing pairing = pair_lines(file, b_file);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::uint32_t number = pairing.of_a[i];
      const LineWork* in_b = number == 0 ? nullptr : line_numbered(b_file, number);
      add({{path, file.lines[i].line},
           number == 0 ? Line{} : Line{b_path, number},
           file.lines[i].function,
           in_b == nullptr ? "" : in_b->function});
    }
    for (std::size_t j = 0; j < b_file.lines.size(); ++j) {
      const std::uint32_t number = pairing.of_b[j];
      if (number != 0 && line_numbered(file, number) != nullptr) continue;
      add({number == 0 ? Line{} : Line{path, number},
           {b_path, b_file.lines[j].line},
           "",
           b_file.lines[j].function});
    }
  }
  for (const auto& [path, file] : b) {
    if (paired_b.contains(path)) continue;
    for (const LineWork& line : file.lines) add({{}, {path, line.line}, "", line.function});
  }
}

}  // namespace stepscope::compare_parts
