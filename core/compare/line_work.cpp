// SPDX-License-Identifier: Apache-2.0
#include "core/compare/line_work.hpp"

#include <algorithm>
#include <cctype>

namespace stepscope::compare_parts {
namespace {

using Line = std::pair<std::string, std::uint32_t>;

struct LineTotals {
  LineWork time, calls;  // the same line by what it owns, and by what it called
};

void add(LineWork& work, const std::string& operation, Direction direction,
         const std::string& function, double amount) {
  if (work.shares.empty() || function < work.function) work.function = function;
  work.shares[{operation, direction}] += amount;
  work.size += amount;
}

std::map<Line, LineTotals> sums_by_line(const SideLines& side) {
  std::map<Line, LineTotals> out;
  for (const WorkItem& item : side.items) {
    if (item.file.empty()) continue;
    const std::string what =
        item.operation.empty() ? std::string(name_of(item.cause)) : item.operation;
    add(out[{item.file, item.line}].time, what, item.direction, item.function,
        static_cast<double>(item.ns));
  }
  for (const WorkCount& count : side.counts) {
    if (count.name.starts_with("bytes")) continue;
    for (const CountPlace& place : count.places)
      if (!place.file.empty())
        add(out[{place.file, place.line}].calls, place.operation, place.direction, place.function,
            static_cast<double>(place.total));
  }
  return out;
}

LineWork work_of(const Line& line, LineTotals sums, const SourceText* source) {
  LineWork out = sums.time.size > 0 ? std::move(sums.time) : std::move(sums.calls);
  out.line = line.second;
  for (auto& [key, share] : out.shares) share /= std::max(out.size, 1.0);
  if (source == nullptr) return out;
  const auto text = source->lines.find(out.line);
  if (text != source->lines.end()) out.text = text->second;
  return out;
}

const SourceText* source_of(const std::string& file, const std::vector<SourceText>& sources) {
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const SourceText& source) { return source.file == file; });
  return found == sources.end() ? nullptr : &*found;
}

bool is_of_a_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

std::map<std::string, std::size_t> word_counts(const std::string& text) {
  std::map<std::string, std::size_t> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_a_word(text[end])) ++end;
    if (end > at) ++out[text.substr(at, end - at)];
    at = std::max(end, at + 1);
  }
  return out;
}

}  // namespace

FileWorks works_by_file(const SideLines& side) {
  FileWorks out;
  for (auto& [line, sums] : sums_by_line(side)) {
    FileWork& file = out[line.first];
    if (file.lines.empty()) file.source = source_of(line.first, side.sources);
    file.lines.push_back(work_of(line, std::move(sums), file.source));
  }
  return out;
}

double work_in_common(const WorkShares& a, const WorkShares& b) {
  double sum = 0;
  for (const auto& [key, share] : a) {
    const auto other = b.find(key);
    if (other != b.end()) sum += (share + other->second) / 2;
  }
  return sum;
}

double words_in_common(const std::string& a, const std::string& b) {
  const auto of_a = word_counts(a), of_b = word_counts(b);
  std::size_t common = 0, all = 0;
  for (const auto& [word, count] : of_a) {
    const auto other = of_b.find(word);
    if (other != of_b.end()) common += std::min(count, other->second);
    all += count;
  }
  for (const auto& [word, count] : of_b) all += count;
  return all == 0 ? 0 : 2 * static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace stepscope::compare_parts
