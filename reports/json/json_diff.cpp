// SPDX-License-Identifier: Apache-2.0
#include "reports/json/json_documents.hpp"

#include <nlohmann/json.hpp>

#include "reports/json/json_rows.hpp"

namespace stepscope {
namespace {

using DiffJson = nlohmann::ordered_json;

DiffJson side_json(const ComparedSide& side) {
  DiffJson out = {{"path", side.run.path},
                  {"runs", side.runs},
                  {"device", side.run.device},
                  {"command", side.run.command},
                  {"steps_counted", side.steps_counted},
                  {"wall_ns_total", side.wall_ns_total},
                  {"wall_ns_per_step", side.wall_ns_per_step},
                  {"p50_ns", side.p50_ns},
                  {"p90_ns", side.p90_ns},
                  {"bound", name_of(side.bound)}};
  out["versions"] = DiffJson::object();
  for (const auto& [name, version] : side.run.versions) out["versions"][name] = version;
  return out;
}

template <class Row>
void add_sums(DiffJson& out, const Row& row, const Comparison& c) {
  out["a_ns_total"] = row.a_ns;
  out["b_ns_total"] = row.b_ns;
  out["delta_ns_total"] = row.delta_ns();
  out["delta_ns_per_step"] = c.per_step(row.delta_ns());
}

void add_range(DiffJson& out, const DeltaRange& range) {
  if (range) out["range_ns_per_step"] = {range->first, range->second};
}

DiffJson cause_json(const CauseDelta& row, const Comparison& c) {
  DiffJson out = {{"cause", name_of(row.cause)}};
  add_sums(out, row, c);
  add_range(out, row.range_ns_per_step);
  return out;
}

DiffJson phase_delta_json(const PhaseDelta& row, const Comparison& c) {
  DiffJson out = {{"phase_path", row.path}};
  add_sums(out, row, c);
  add_range(out, row.range_ns_per_step);
  return out;
}

void add_direction_of_delta(DiffJson& out, Direction direction) {
  if (direction != Direction::none) out["direction"] = name_of(direction);
}

DiffJson line_delta_json(const LineDelta& row, const Comparison& c) {
  DiffJson out = DiffJson::object();
  if (!row.file.empty()) {
    out["file"] = row.file;
    out["line"] = row.line;
    if (row.a_line > 0) out["a_line"] = row.a_line;
    if (row.b_line > 0) out["b_line"] = row.b_line;
    out["function"] = row.function;
    add_direction_of_delta(out, row.direction);
  }
  add_sums(out, row, c);
  add_range(out, row.range_ns_per_step);
  return out;
}

DiffJson part_json(const DeltaPart& part, const Comparison& c) {
  DiffJson out = {{"kind", name_of(part.kind)},
                  {"cause", name_of(part.cause)},
                  {"phase_path", part.phase},
                  {"operation", part.op}};
  if (!part.file.empty()) {
    out["file"] = part.file;
    out["line"] = part.line;
    out["function"] = part.function;
    add_direction_of_delta(out, part.direction);
  }
  out["delta_ns_total"] = part.delta_ns;
  out["delta_ns_per_step"] = c.per_step(part.delta_ns);
  out["group"] = {{"id", part.group},
                  {"a_ns_total", part.a_ns},
                  {"b_ns_total", part.b_ns},
                  {"a_calls_total", part.a_calls},
                  {"b_calls_total", part.b_calls}};
  add_range(out["group"], part.group_range_ns_per_step);
  return out;
}

DiffJson replacement_json(const Replacement& r) {
  DiffJson out = {{"phase_path", r.phase}};
  if (!r.file.empty()) {
    out["file"] = r.file;
    out["line"] = r.line;
  }
  out["a_operations"] = r.a_ops;
  out["b_operations"] = r.b_ops;
  out["a_calls_per_step"] = r.a_calls_per_step;
  out["b_calls_per_step"] = r.b_calls_per_step;
  out["delta_ns_total"] = r.delta_ns;
  return out;
}

DiffJson count_line_json(const CountLineDelta& row) {
  DiffJson out = DiffJson::object();
  if (!row.file.empty()) {
    out["file"] = row.file;
    out["line"] = row.line;
    out["function"] = row.function;
    add_direction_of_delta(out, row.direction);
  }
  out["operations"] = row.operations;
  out["a_per_step"] = row.a_per_step;
  out["b_per_step"] = row.b_per_step;
  return out;
}

DiffJson count_delta_json(const CountDelta& row) {
  DiffJson out = {
      {"name", row.counter}, {"a_per_step", row.a_per_step}, {"b_per_step", row.b_per_step}};
  out["lines"] = DiffJson::array();
  for (const CountLineDelta& line : row.lines) out["lines"].push_back(count_line_json(line));
  return out;
}

template <class Row, class F>
DiffJson rows_json(const std::vector<Row>& rows, const Comparison& c, F to_json) {
  DiffJson out = DiffJson::array();
  if (!c.shown()) return out;
  for (const Row& row : rows) out.push_back(to_json(row));
  return out;
}

}  // namespace

std::string json_diff(const Comparison& c) {
  DiffJson out = {{"schema", "stepscope.diff/1"},
                  {"tool", {{"name", "stepscope"}, {"version", STEPSCOPE_VERSION}}},
                  {"comparable", c.comparable},
                  {"why_not", c.why_not},
                  {"warnings", c.warnings},
                  {"a", side_json(c.a)},
                  {"b", side_json(c.b)},
                  {"steps", c.steps},
                  {"delta_ns_total", c.delta_ns_total},
                  {"delta_ns_per_step", c.per_step(c.delta_ns_total)},
                  {"residual_ns", c.residual_ns}};
  if (c.samples)
    out["samples"] = {{"a", c.samples->a}, {"b", c.samples->b}, {"per", c.samples->per}};
  add_range(out, c.range_ns_per_step);
  out["parts"] = rows_json(c.parts, c, [&](const DeltaPart& row) { return part_json(row, c); });
  out["causes"] = rows_json(c.causes, c, [&](const CauseDelta& row) { return cause_json(row, c); });
  out["phases"] =
      rows_json(c.phases, c, [&](const PhaseDelta& row) { return phase_delta_json(row, c); });
  out["lines"] =
      rows_json(c.lines, c, [&](const LineDelta& row) { return line_delta_json(row, c); });
  out["replaced"] = rows_json(c.replaced, c, replacement_json);
  out["counts"] = rows_json(c.counts, c, count_delta_json);
  return out.dump(1, ' ', false, DiffJson::error_handler_t::replace) + "\n";
}

namespace json_rows {

Json cause(const CauseDelta& row, const Comparison& comparison) {
  return cause_json(row, comparison);
}

Json phase(const PhaseDelta& row, const Comparison& comparison) {
  return phase_delta_json(row, comparison);
}

Json line(const LineDelta& row, const Comparison& comparison) {
  return line_delta_json(row, comparison);
}

Json part(const DeltaPart& part, const Comparison& comparison) {
  return part_json(part, comparison);
}

Json replacement(const Replacement& row) {
  return replacement_json(row);
}

Json count(const CountDelta& row) {
  return count_delta_json(row);
}

}  // namespace json_rows
}  // namespace stepscope
