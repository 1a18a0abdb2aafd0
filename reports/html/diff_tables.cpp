// SPDX-License-Identifier: Apache-2.0
// A and B beside each other: causes, phases, lines, and how much work a step does.
#include <fmt/format.h>

#include "core/report/wording/names.hpp"
#include "core/report/wording/shown_path.hpp"
#include "core/report/wording/tables.hpp"
#include "reports/html/diff_sections.hpp"

namespace stepscope::html {
namespace {

constexpr std::size_t kMostDiffRows = 200;

std::string range_text(const DeltaRange& range, const DiffScale& scale) {
  if (!range) return "";
  return fmt::format("{} to {}", format_difference(range->first, scale.unit),
                     format_difference(range->second, scale.unit));
}

// The last row of each table: what it must sum to.
TableRow total_row(const DiffScale& scale, bool has_range) {
  const Comparison& c = scale.c;
  Cells cells = words_cell("= step") + words_cell("") + scale.time(c.a.wall_ns_total) +
                scale.time(c.b.wall_ns_total) + scale.difference(c.delta_ns_total) +
                scale.change(c.delta_ns_total);
  if (has_range) cells += words_cell(range_text(c.range_ns_per_step, scale));
  return row({{"class", "sum"}, {"data-delta-ns", std::to_string(c.delta_ns_total)}},
             cells + exact_cell(c.delta_ns_total));
}

std::vector<Column> columns_of(const DiffScale& scale, const char* what, bool has_range) {
  std::vector<Column> columns = {
      {what, ColumnKind::words}, {"", ColumnKind::bar}, {"A " + scale.title()},
      {"B " + scale.title()},    {"difference"},        {"of A"}};
  if (has_range) columns.push_back({"over all pairs of runs", ColumnKind::words});
  columns.push_back({exact_title(scale.c.steps)});
  return columns;
}

TableRow side_row(const DiffScale& scale, const char* table, const Markup& name, std::int64_t a_ns,
                  std::int64_t b_ns, std::int64_t largest, const Cells& range) {
  const std::int64_t delta = b_ns - a_ns;
  return row({{"data-table", table}, {"data-ns", std::to_string(delta)}},
             words_cell(name) + scale.bar(delta, largest) + scale.time(a_ns) + scale.time(b_ns) +
                 scale.difference(delta) + scale.change(delta) + range + exact_cell(delta));
}

Cells range_cell(const DeltaRange& range, const DiffScale& scale) {
  return scale.c.range_ns_per_step ? words_cell(range_text(range, scale)) : Cells();
}

// Rows of A and B, largest difference first; what is left out is one row.
template <class Row, class Name>
TableRows side_rows(const DiffScale& scale, const char* table, const std::vector<Row>& rows,
                    Name name) {
  TableRows out;
  const std::int64_t largest = rows.empty() ? 0 : rows.front().delta_ns();
  std::int64_t a_rest = 0;
  std::int64_t b_rest = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i < kMostDiffRows) {
      out.push_back(side_row(scale, table, name(rows[i]), rows[i].a_ns, rows[i].b_ns, largest,
                             range_cell(rows[i].range_ns_per_step, scale)));
    } else {
      a_rest += rows[i].a_ns;
      b_rest += rows[i].b_ns;
    }
  }
  if (rows.size() > kMostDiffRows)
    out.push_back(side_row(scale, table,
                           text(fmt::format("{} smaller", rows.size() - kMostDiffRows)), a_rest,
                           b_rest, largest, range_cell({}, scale)));
  return out;
}

Markup line_name(const DiffScale& scale, const LineDelta& line) {
  if (line.file.empty()) return text("(no line)");
  const Markup place =
      element("code", text(fmt::format("{}:{}", shown_file(line.file, scale.c), line.line)));
  std::string about = line.function + direction_text(line.direction);
  if (line.a_line == 0)
    about += about.empty() ? "new" : ", new";
  else if (line.b_line == 0)
    about += about.empty() ? "gone" : ", gone";
  else if (line.a_line != line.b_line)
    about += fmt::format("{}was :{}", about.empty() ? "" : ", ", line.a_line);
  return about.empty() ? place : place + Markup(" ") + element("small", text(about));
}

std::string shown_count(const CountDelta& count, double value) {
  return count.counter.starts_with("bytes") ? format_bytes(value) : format_count(value);
}

}  // namespace

Markup causes_of(const DiffScale& scale) {
  const bool has_range = scale.c.range_ns_per_step.has_value();
  const std::vector<CauseDelta>& causes = scale.c.causes;
  const std::int64_t largest = causes.empty() ? 0 : causes.front().delta_ns();
  TableRows rows;
  for (const CauseDelta& cause : causes)
    rows.push_back(side_row(scale, "causes", cause_label(cause.cause), cause.a_ns, cause.b_ns,
                            largest, range_cell(cause.range_ns_per_step, scale)));
  return section("causes", "By cause",
                 table(columns_of(scale, "cause", has_range), rows, {total_row(scale, has_range)},
                       {"cause-table", true}));
}

Markup phases_of(const DiffScale& scale) {
  if (scale.c.phases.size() < 2) return {};
  const bool has_range = scale.c.range_ns_per_step.has_value();
  const TableRows rows = side_rows(scale, "phases", scale.c.phases,
                                   [](const PhaseDelta& phase) { return text(phase.path); });
  return section("phases", "By phase",
                 table(columns_of(scale, "phase", has_range), rows, {total_row(scale, has_range)},
                       {"phase-table", true}));
}

Markup lines_of(const DiffScale& scale) {
  if (scale.c.lines.size() < 2) return {};
  const bool has_range = scale.c.range_ns_per_step.has_value();
  const TableRows rows = side_rows(scale, "lines", scale.c.lines,
                                   [&](const LineDelta& row) { return line_name(scale, row); });
  return section("lines", "By source line",
                 table(columns_of(scale, "line", has_range), rows, {total_row(scale, has_range)},
                       {"line-table", true}),
                 true);
}

Markup counts_of(const DiffScale& scale) {
  TableRows rows;
  for (const CountDelta& count : scale.c.counts) {
    std::string name = count.counter;
    std::replace(name.begin(), name.end(), '_', ' ');
    const bool is_same = count.a_per_step == count.b_per_step;
    rows.push_back(row({}, words_cell(name) +
                               number_cell(shown_count(count, count.a_per_step), count.a_per_step) +
                               number_cell(shown_count(count, count.b_per_step), count.b_per_step) +
                               words_cell(is_same ? "the same" : "")));
  }
  if (rows.empty()) return {};
  return section(
      "counts", "Work a step",
      table({{"count", ColumnKind::words}, {"A"}, {"B"}, {"", ColumnKind::words}}, rows, {}));
}

}  // namespace stepscope::html
