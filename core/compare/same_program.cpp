// SPDX-License-Identifier: Apache-2.0
#include "core/compare/same_program.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "core/compare/commands.hpp"
#include "core/compare/text_alignment.hpp"
#include "core/compare/work_matching.hpp"

namespace stepscope::compare_parts {
namespace {

constexpr double kLeastCommon = 0.5;    // share of either side's time
constexpr double kNearlyAll = 0.9;      // share of one side's time: then the other was repaired
constexpr double kLeastOfSlower = 0.1;  // share of that other side's time
constexpr double kHardlyAny = 0.1;  // share of either side's time that makes one file name enough
// Share of the time with known work, from which on work can show two programs.
constexpr double kLeastNamed = 0.1;

using Times = std::map<std::string, std::int64_t>;

std::int64_t sum_of(const Times& times) {
  std::int64_t sum = 0;
  for (const auto& [name, ns] : times) sum += ns;
  return sum;
}

// Returns the share of a side's time under names that the other side has, too.
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

// Work without a function is identified by its file: Python code at a module's top level.
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

std::string stem_of(const std::string& file) {
  return std::filesystem::path(file).stem().string();
}

bool same_phases(const Summary& a, const Summary& b) {
  return mostly_common(phases_of(a, "\nA"), phases_of(b, "\nB"));
}

bool same_work(const Times& a, const Times& b) {
  return mostly_common(a, b) || nearly_contained(a, b);
}

SameBy compare_files(const Summary& a, const Summary& b, const ProgramMatch& names) {
  if (are_alike(stem_of(names.a_name), stem_of(names.b_name))) return SameBy::name;
  if (same_phases(a, b)) return SameBy::phases;
  return same_work(work_of(a), work_of(b)) ? SameBy::work : SameBy::nothing;
}

// Functions by their file's name, since paths may be relative to two folders.
Times functions_of(const Summary& side) {
  Times out;
  for_each_line(side, [&](const CellRow& cell) {
    const std::string file = std::filesystem::path(cell.file).filename().string();
    const bool module = cell.function.empty() || cell.function == "<module>";
    out[file + '\n' + cell.function + '\n' + (module ? cell.operation : "")] += cell.ns_total;
  });
  return out;
}

SameBy compare_contents(const Summary& a, const Summary& b) {
  const Times of_a = functions_of(a), of_b = functions_of(b);
  const double most = std::max(common_share(of_a, of_b), common_share(of_b, of_a));
  return most >= kHardlyAny || same_phases(a, b) ? SameBy::file : SameBy::file_name;
}

// Returns the work of a side without lines: kernels by family, else the operations of its threads.
// Copies and CUDA's calls are every program's.
Times named_work_of(const Summary& side) {
  Times out;
  for (const KernelRow& kernel : side.kernels)
    if (!kernel.name.starts_with("Mem")) out[kernel_family(kernel.name)] += kernel.ns_total;
  if (!side.run.device.empty() || !out.empty()) return out;
  for (const CellRow& cell : side.cells)
    if (!cell.device && !cell.operation.empty()) out[cell.operation] += cell.ns_total;
  return out;
}

// Whether lines hold enough of the time: a stray one, as of a sample in a library, identifies no
// program.
bool lines_tell(const Times& files, const Summary& side) {
  std::int64_t of_threads = 0;
  for (const CellRow& cell : side.cells)
    if (!cell.device) of_threads += cell.ns_total;
  return static_cast<double>(sum_of(files)) >= kLeastNamed * static_cast<double>(of_threads);
}

bool has_known_work(const Times& work, const Summary& side) {
  return static_cast<double>(sum_of(work)) >=
         kLeastNamed * static_cast<double>(side.partition.wall_ns_total);
}

ProgramMatch compare_without_lines(const Summary& a, const Summary& b) {
  ProgramMatch out{SameBy::file, true, program_name(a.run.command), program_name(b.run.command)};
  const bool named = !out.a_name.empty() && !out.b_name.empty();
  if (named && are_alike(out.a_name, out.b_name)) return out;
  const Times of_a = named_work_of(a), of_b = named_work_of(b);
  const bool known = has_known_work(of_a, a) && has_known_work(of_b, b);
  if (same_phases(a, b)) {
    out.by = named ? SameBy::phases : SameBy::file;
  } else if (known && same_work(of_a, of_b)) {
    out.by = named ? SameBy::work : SameBy::file;
  } else if (known) {
    out.by = named ? SameBy::nothing : SameBy::other_work;
  } else if (named) {
    out.by = SameBy::unknown;
  }
  return out;
}

// Compares the commands of two runs of one file: a library's file may hold most of two programs'
// time.
ProgramMatch compare_commands(const Summary& a, const Summary& b, const ProgramMatch& files) {
  ProgramMatch out{SameBy::work, true, program_name(a.run.command), program_name(b.run.command)};
  const bool named = !out.a_name.empty() && !out.b_name.empty();
  return named && !are_alike(out.a_name, out.b_name) ? out : files;
}

// Whether both runs kept the text of a side's main file, and most of it is the same: then it is one
// program whatever the file is called.
bool have_one_text(const Summary& a, const std::string& a_name, const Summary& b,
                   const std::string& b_name) {
  const auto source_of = [](const Summary& side, const std::string& name) -> const SourceText* {
    for (const SourceText& source : side.sources)
      if (std::filesystem::path(source.file).filename().string() == name) return &source;
    return nullptr;
  };
  const SourceText *of_a = source_of(a, a_name), *of_b = source_of(b, b_name);
  return of_a != nullptr && of_b != nullptr &&
         text_in_common(of_a->hashes, of_b->hashes) >= kLeastCommon;
}

}  // namespace

ProgramMatch match_programs(const Summary& a, const Summary& b) {
  const Times of_a = files_of(a), of_b = files_of(b);
  ProgramMatch out{SameBy::file, false, largest_of(of_a), largest_of(of_b)};
  if (out.a_name.empty() || out.b_name.empty()) return compare_without_lines(a, b);
  if (have_one_text(a, out.a_name, b, out.b_name)) return out;
  const bool shared = of_b.contains(out.a_name) || of_a.contains(out.b_name);
  if (!shared && !(lines_tell(of_a, a) && lines_tell(of_b, b))) return compare_without_lines(a, b);
  out.by = shared ? compare_contents(a, b) : compare_files(a, b, out);
  return out.by == SameBy::file ? compare_commands(a, b, out) : out;
}

}  // namespace stepscope::compare_parts
