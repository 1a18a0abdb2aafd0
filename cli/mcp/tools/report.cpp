// SPDX-License-Identifier: Apache-2.0
// Tool "report": the first screen of a run.
#include <fmt/format.h>

#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "core/report/report.hpp"
#include "core/report/tables.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

constexpr std::size_t kTopLines = 3;
constexpr std::size_t kTopFindings = 5;
constexpr std::size_t kTopSections = 6;

Json finding_heads(const report::Report& report) {
  Json out = Json::array();
  if (!report.findings) return out;
  const auto& found = report.findings->found;
  for (std::size_t i = 0; i < std::min(kTopFindings, found.size()); ++i)
    out.push_back(fmt::format("{} {}: {}, {}", found[i].id, found[i].where, found[i].gain,
                              format_share(found[i].gain_share)));
  return out;
}

Json line_heads(const Summary& summary, const StepScale& scale) {
  Json out = Json::array();
  for (std::size_t i = 0; i < std::min(kTopLines, summary.lines.size()); ++i) {
    const LineRow& row = summary.lines[i];
    out.push_back({{"file", row.file},
                   {"line", row.line},
                   {"function", row.function},
                   {"cause", name_of(row.cause)},
                   {"ns_total", row.ns_total},
                   {"share", scale.share_of_wall(row.ns_total)}});
  }
  return out;
}

// The loops of a run that has several, or one that can be divided otherwise.
Json section_heads(const report::Table& table) {
  Json out = Json::array();
  const auto number = [&table](const report::Row& row, std::size_t column) {
    return report::number_text(table, table.columns[column].kind, row.cells[column]);
  };
  for (const report::Row& row : table.rows) {
    const auto* choice = std::get_if<report::Words>(&row.cells.back());
    if (choice == nullptr || out.size() == kTopSections) continue;
    std::string name = std::get<report::Words>(row.cells[0]).text;
    name.replace(name.find("  "), 2, ": ");
    out.push_back(fmt::format("{}, {} steps of {}{}", name, number(row, 3), number(row, 4),
                              choice->text == "shown here" ? ", shown here" : ""));
  }
  return out;
}

Json trust_texts(const report::Report& report) {
  Json out = Json::array();
  for (const TrustFact& fact : report.facts) out.push_back(fact.text);
  return out;
}

Json head_of(const report::Report& report) {
  const Summary& s = report.scale.summary;
  const PartitionSummary& p = s.partition;
  Json out = {{"trace", s.run.path}};
  if (!s.run.command.empty()) out["command"] = s.run.command;
  if (!s.run.device.empty()) out["device"] = s.run.device;
  out.update({{"verdict", fmt::format("{}  {}", report.label.text, report.step_time_sentence)},
              {"why", p.why_bound},
              {"steps_counted", p.steps_counted},
              {"wall_ns_total", p.wall_ns_total},
              {"wall_ns_per_step", p.wall_ns_per_step()},
              {"p50_ns", p.p50_ns},
              {"p90_ns", p.p90_ns},
              {"device_busy_ns_total", p.device_busy_ns_total},
              {"host_wait_ns_total", p.host_wait_ns_total}});
  if (p.corrected_step_ns) out["corrected_step_ns"] = *p.corrected_step_ns;
  out["steps"] = report.steps.empty() ? "" : report.steps.front().text;
  if (Json sections = section_heads(report.tables.loops.front()); !sections.empty())
    out["sections"] = std::move(sections);
  if (s.job) out["ranks"] = report::table_named("ranks", report.scale).texts;
  out["lines"] = line_heads(s, report.scale);
  out["findings"] = finding_heads(report);
  out["trust"] = trust_texts(report);
  return out;
}

Result<Json> answer_report(const ToolCall& call) {
  const auto run = call.runs.read_as(call.arguments, call.progress);
  if (!run) return run.error();
  const Summary& s = (*run)->summary_with_findings();
  const auto part_row = [&s](std::size_t i) {
    Json row = json_rows::part(s.partition.parts[i], s.partition);
    row["meaning"] = meaning_of(s.partition.parts[i].cause);
    return row;
  };
  return page(head_of(report::report_of(s)),
              {.size = s.partition.parts.size(), .at = part_row, .name = "parts"}, call.arguments);
}

}  // namespace

Tool report_tool() {
  return {
      .name = "report",
      .title = "Where a step's time goes",
      .about =
          "Start here. The verdict (device-, host-bound or mixed), the step's time, the "
          "exact parts of it by cause (they sum to wall_ns_total), the costliest lines, "
          "the best findings and how far the trace can be trusted. Details: `findings`, "
          "`table` (lines, kernels, phases, ...), `steps`, `events`. A trace is a .scope folder of "
          "'stepscope profile', a PyTorch profiler file (.json, .json.gz), an SQLite export "
          "of Nsight Systems, or a report's JSON. A run of several ranks is read as one job, "
          "unless "
          "rank is given. section, rank, step_marker and phase hold for all later answers on "
          "this trace.",
      .fields = joined(joined({trace_field()}, reading_fields()), page_fields()),
      .answer = answer_report};
}

}  // namespace stepscope::mcp
