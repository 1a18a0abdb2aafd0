// SPDX-License-Identifier: Apache-2.0
// The source lines that own time, a row a line and direction, each with its causes. What no line is
// known for belongs to the wall and to no row.
#include <map>
#include <set>
#include <tuple>

#include "core/report/tables.hpp"
#include "core/report/wording/numbers.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/summary/rows/by_time.hpp"

namespace stepscope::report {
namespace {

struct LineGroup {
  std::int64_t ns_total = 0;
  std::vector<const LineRow*> rows;  // its causes, largest first; never empty
};

std::vector<LineGroup> line_groups(const std::vector<LineRow>& rows) {
  std::map<std::tuple<std::string_view, std::uint32_t, SiteKind, Direction>, std::size_t> where;
  std::vector<LineGroup> groups;
  for (const LineRow& row : rows) {
    const auto [at, is_new] =
        where.try_emplace({row.file, row.line, row.kind, row.direction}, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].ns_total += row.ns_total;
    groups[at->second].rows.push_back(&row);
  }
  sort_by_time(groups);
  return groups;
}

std::string_view name_of_file(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

// Counts the files of each name.
std::map<std::string_view, std::size_t> files_by_name(const std::vector<LineRow>& rows) {
  std::set<std::string_view> files;
  for (const LineRow& row : rows) files.insert(row.file);
  std::map<std::string_view, std::size_t> out;
  for (const std::string_view file : files) out[name_of_file(file)] += 1;
  return out;
}

CauseParts causes_of(const StepScale& scale, const LineGroup& group) {
  CauseParts out;
  for (const LineRow* row : group.rows)
    out.push_back({row->cause, row->ns_total, cause_meaning(scale, row->cause)});
  return out;
}

Row line_row(const StepScale& scale, const LineGroup& group, bool name_tells) {
  const LineRow& first = *group.rows.front();
  const Amount time{group.ns_total, scale.steps};
  Row out;
  out.cells = {Place{first.file, shown_file(first.file, scale.summary.run), first.line,
                     first.function, first.kind, first.direction, name_tells},
               time, time, causes_of(scale, group)};
  out.cause = first.cause;
  if (!first.evidence.empty()) out.link = {Link::To::event, first.evidence.front()};
  return out;
}

}  // namespace

Table lines_table(const StepScale& scale) {
  Table out{.id = "lines", .title = "Source lines", .brief = "Line", .tab = "Lines"};
  out.unit = scale.unit;
  out.whole_ns = scale.wall_ns;
  out.bars = Bars::of_largest;
  out.empty = "no source line was recorded";
  out.columns = {{"place", "line", Kind::place},
                 {"ns", scale.time_title(), Kind::time, "", true},
                 {"share", "share", Kind::share, "", true},
                 {"causes", "of which", Kind::causes}};
  out.no_row_ns_total = scale.summary.partition.wall_ns_total;
  const auto files = files_by_name(scale.summary.lines);
  for (const LineGroup& group : line_groups(scale.summary.lines)) {
    const bool name_tells = files.at(name_of_file(group.rows.front()->file)) == 1;
    out.rows.push_back(line_row(scale, group, name_tells));
    out.no_row_ns_total -= group.ns_total;
  }
  return out;
}

}  // namespace stepscope::report
