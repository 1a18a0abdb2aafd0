// SPDX-License-Identifier: Apache-2.0
// Tool "table": the tables of a report, a row at a time.
#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "core/report/tables.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

std::vector<Field> table_fields() {
  return {{.name = "name",
           .about = "lines: who owns the time by source line. kernels: device time by kernel and "
                    "phase. phases: named parts of the loop. counts: kernels, launches, waits, "
                    "copies a step. collectives: communication calls. cells: the one exact table, "
                    "cause x phase x line x operation; it sums to the wall time. host-ops: CPU "
                    "operations of a run without a device. devices, ranks: of a run of several, "
                    "who works and who waits. sections: the loops of the run",
           .required = true,
           .choices = {"lines", "kernels", "phases", "counts", "collectives", "cells", "host-ops",
                       "devices", "ranks", "sections"}},
          {.name = "contains",
           .about = "Only rows in which some text holds this: part of a file, function, kernel, "
                    "phase or cause. Example: train.py, or host."}};
}

Json cell_row(const CellRow& cell) {
  Json out = {{"cause", name_of(cell.cause)}, {"phase_path", cell.phase_path}};
  if (!cell.file.empty()) {
    out["file"] = cell.file;
    out["line"] = cell.line;
  }
  if (!cell.operation.empty()) out["operation"] = cell.operation;
  if (cell.device) out["device"] = *cell.device;
  out["ns_total"] = cell.ns_total;
  out["calls_total"] = cell.calls_total;
  return out;
}

template <class Row, class F>
std::vector<Json> rows_with(const std::vector<Row>& list, const std::string& part, F to_json) {
  const auto holds = [&part](const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().find(part) != std::string::npos;
  };
  std::vector<Json> out;
  for (const Row& row : list) {
    Json json = to_json(row);
    if (part.empty() || std::any_of(json.begin(), json.end(), holds))
      out.push_back(std::move(json));
  }
  return out;
}

Json with_short_names(Json row) {
  for (const char* key : {"name", "operation"})
    if (row.contains(key) && row[key].is_string())
      row[key] = shortened(row[key].get<std::string>(), kLongestOperation);
  return row;
}

// Largest first; the cells of single devices follow those of the process.
std::vector<CellRow> cells_by_size(const Summary& summary) {
  std::vector<CellRow> out = summary.cells;
  std::stable_sort(out.begin(), out.end(), [](const CellRow& a, const CellRow& b) {
    if (a.device.has_value() != b.device.has_value()) return b.device.has_value();
    return a.ns_total > b.ns_total;
  });
  return out;
}

std::vector<Json> rows_of(const Summary& s, const std::string& name, const std::string& part) {
  const std::uint64_t n = s.partition.steps_counted;
  const auto with_steps = [n](auto to_json) {
    return [n, to_json](const auto& row) { return to_json(row, n); };
  };
  if (name == "lines")
    return rows_with(s.lines, part, with_steps([](const LineRow& row, std::uint64_t steps) {
                       return json_rows::line(row, steps);
                     }));
  if (name == "kernels") return rows_with(s.kernels, part, with_steps(json_rows::kernel));
  if (name == "phases")
    return rows_with(s.phases, part, with_steps([](const PhaseRow& row, std::uint64_t steps) {
                       return json_rows::phase(row, steps);
                     }));
  if (name == "counts")
    return rows_with(s.counts, part, with_steps([](const WorkCount& row, std::uint64_t steps) {
                       return json_rows::count(row, steps);
                     }));
  if (name == "collectives") return rows_with(s.transfers, part, with_steps(json_rows::transfer));
  if (name == "cells") return rows_with(cells_by_size(s), part, cell_row);
  const report::Table table = report::table_named(name, scale_of(s));
  return rows_with(table.rows, part,
                   [&table](const report::Row& row) { return json_rows::row(table, row); });
}

Result<Json> answer_table(const ToolCall& call) {
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const std::string name = call.arguments.text("name");
  const Summary& s = name == "ranks" ? (*run)->summary_of_job() : (*run)->summary();
  const std::vector<Json> rows = rows_of(s, name, call.arguments.text("contains"));
  const Json head = {{"trace", (*run)->name().path},
                     {"name", name},
                     {"steps_counted", s.partition.steps_counted},
                     {"wall_ns_total", s.partition.wall_ns_total}};
  return page(
      head,
      {.size = rows.size(), .at = [&rows](std::size_t i) { return with_short_names(rows[i]); }},
      call.arguments);
}

}  // namespace

Tool table_tool() {
  return {.name = "table",
          .title = "A table of the report",
          .about =
              "One of the report's tables, the largest rows first, as columns and rows. "
              "ns_total is over steps_counted steps; divide for a step. `evidence` holds ids "
              "that `event` takes.",
          .fields = joined(joined(table_fields(), {trace_field()}), page_fields()),
          .answer = answer_table};
}

}  // namespace stepscope::mcp
