// SPDX-License-Identifier: Apache-2.0
#include "core/compare/same_program.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

namespace stepscope::compare_parts {
namespace {

constexpr double kLeastCommon = 0.5;     // of either side's time
constexpr double kNearlyAll = 0.9;       // of one side's: the other was mended
constexpr double kLeastOfSlower = 0.1;   // of that other's
constexpr std::size_t kLeastPrefix = 3;  // letters that two names begin with

using Times = std::map<std::string, std::int64_t>;

std::int64_t sum_of(const Times& times) {
  std::int64_t sum = 0;
  for (const auto& [name, ns] : times) sum += ns;
  return sum;
}

// Of a side's time, what is under names that the other has too.
double common_share(const Times& side, const Times& other) {
  std::int64_t common = 0;
  for (const auto& [name, ns] : side)
    if (other.contains(name)) common += ns;
  return static_cast<double>(common) / static_cast<double>(std::max<std::int64_t>(1, sum_of(side)));
}

bool mostly_common(const Times& a, const Times& b) {
  return std::min(common_share(a, b), common_share(b, a)) >= kLeastCommon;
}

// A repair takes away up to nine tenths of the slower side, and adds little.
bool nearly_contained(const Times& a, const Times& b) {
  const auto [less, more] = std::minmax({common_share(a, b), common_share(b, a)});
  return more >= kNearlyAll && less >= kLeastOfSlower;
}

template <class Visit>
void for_each_line(const Summary& side, const Visit& visit) {
  for (const CellRow& cell : side.cells)
    if (!cell.device && !cell.file.empty()) visit(cell);
}

Times files_of(const Summary& side) {
  Times out;
  for_each_line(side, [&](const CellRow& cell) {
    out[std::filesystem::path(cell.file).filename().string()] += cell.ns_total;
  });
  return out;
}

std::string largest_of(const Times& files) {
  const auto largest = std::max_element(
      files.begin(), files.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  return largest == files.end() ? "" : largest->first;
}

// What names nothing is told apart by its file: Python code that stands in no function.
Times work_of(const Summary& side) {
  Times out;
  for_each_line(side, [&](const CellRow& cell) {
    const bool nameless =
        cell.operation.empty() && (cell.function.empty() || cell.function == "<module>");
    out[(nameless ? cell.file : cell.function) + '\n' + cell.operation] += cell.ns_total;
  });
  return out;
}

bool is_own(std::string_view phase) {
  constexpr std::array<std::string_view, 6> kOfEveryProgram = {
      "data", "forward", "backward", "optimizer", "(no phase)", "step"};
  return std::find(kOfEveryProgram.begin(), kOfEveryProgram.end(), phase) == kOfEveryProgram.end();
}

// Phases that the program itself named; the time of the others counts as not in common.
Times phases_of(const Summary& side, std::string_view name_of_side) {
  Times out;
  for (const PhaseRow& row : side.phases) {
    const std::string name = is_own(row.path) ? row.path : std::string(name_of_side);
    if (row.depth == 0) out[name] += row.wall_ns_total;
  }
  return out;
}

// One begins with the other, or both with the same half.
bool are_alike(const std::string& a, const std::string& b) {
  const auto [end, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto prefix = static_cast<std::size_t>(end - a.begin());
  return prefix >= kLeastPrefix &&
         (prefix == std::min(a.size(), b.size()) || 2 * prefix >= std::max(a.size(), b.size()));
}

std::string stem_of(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

SameBy compare(const Summary& a, const Summary& b, const ProgramMatch& names) {
  if (are_alike(stem_of(names.a_file), stem_of(names.b_file))) return SameBy::name;
  if (mostly_common(phases_of(a, "\nA"), phases_of(b, "\nB"))) return SameBy::phases;
  const Times of_a = work_of(a), of_b = work_of(b);
  const bool same = mostly_common(of_a, of_b) || nearly_contained(of_a, of_b);
  return same ? SameBy::work : SameBy::nothing;
}

}  // namespace

ProgramMatch match_programs(const Summary& a, const Summary& b) {
  const Times of_a = files_of(a), of_b = files_of(b);
  ProgramMatch out{SameBy::file, largest_of(of_a), largest_of(of_b)};
  const bool lines = !out.a_file.empty() && !out.b_file.empty();
  if (lines && !of_b.contains(out.a_file) && !of_a.contains(out.b_file))
    out.by = compare(a, b, out);
  return out;
}

}  // namespace stepscope::compare_parts
