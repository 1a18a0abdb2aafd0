// SPDX-License-Identifier: Apache-2.0
// Tool "diff": why run B's step takes longer or shorter than run A's.
#include "cli/mcp/tool.hpp"
#include "core/compare/comparison.hpp"
#include "core/report/wording/diff_words.hpp"
#include "core/report/wording/numbers.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

std::vector<Field> diff_fields() {
  return {{.name = "a", .about = "The run before: a trace, or a report's JSON", .required = true},
          {.name = "b", .about = "The run after the change, likewise", .required = true},
          {.name = "by",
           .about = "Rows of the answer, each table largest first. causes (default), lines, phases "
                    "and parts each sum to delta_ns_total; replaced: work done otherwise; counts: "
                    "kernels, launches, waits, copies a step",
           .choices = {"causes", "lines", "phases", "parts", "replaced", "counts"}},
          {.name = "anyway",
           .type = FieldType::flag,
           .about = "Show the tables although the runs cannot be compared (why_not says why)"}};
}

template <class Row, class F>
Rows rows_of(const std::vector<Row>& list, F to_json) {
  return {.size = list.size(), .at = [&list, to_json](std::size_t i) { return to_json(list[i]); }};
}

Rows table_of(const Comparison& c, const std::string& by) {
  using namespace json_rows;
  if (!c.shown()) return {.size = 0, .at = {}};
  if (by == "lines") return rows_of(c.lines, [&c](const LineDelta& row) { return line(row, c); });
  if (by == "phases")
    return rows_of(c.phases, [&c](const PhaseDelta& row) { return phase(row, c); });
  if (by == "parts")
    return rows_of(c.parts, [&c](DeltaPart row) {
      row.op = shortened(row.op, kLongestOperation);
      return part(row, c);
    });
  if (by == "replaced")
    return rows_of(c.replaced, [](const Replacement& row) { return replacement(row); });
  if (by == "counts") return rows_of(c.counts, [](const CountDelta& row) { return count(row); });
  return rows_of(c.causes, [&c](const CauseDelta& row) { return cause(row, c); });
}

Json head_of(const Comparison& c, const std::string& by) {
  Json out = {{"a", side_sentence(c.a)}, {"b", side_sentence(c.b)}, {"comparable", c.comparable},
              {"why_not", c.why_not},    {"warnings", c.warnings},  {"by", by}};
  if (!c.shown()) return out;
  out["sentence"] = diff_sentence(c);
  out["steps"] = c.steps;
  out["delta_ns_total"] = c.delta_ns_total;
  out["delta_ns_per_step"] = c.per_step(c.delta_ns_total);
  out["residual_ns"] = c.residual_ns;
  return out;
}

Result<Json> answer_diff(const ToolCall& call) {
  const auto a = call.runs.at(call.arguments.text("a"), call.progress);
  if (!a) return a.error();
  const auto b = call.runs.at(call.arguments.text("b"), call.progress);
  if (!b) return b.error();
  const Comparison c =
      compare((*a)->summary(), (*b)->summary(), {.anyway = call.arguments.flag("anyway")});
  const std::string by = call.arguments.text("by", "causes");
  return page(head_of(c, by), table_of(c, by), call.arguments);
}

}  // namespace

Tool diff_tool() {
  return {.name = "diff",
          .title = "Why one run's step is longer than another's",
          .about =
              "B minus A, to the nanosecond: less than 0 is faster. Use it after a change to "
              "see whether the step got faster, and whether at the line that you changed. Runs "
              "that did other work or ran on another device are not compared, and why_not says "
              "why. For a verdict that noise cannot fool, record several runs a side and use "
              "`gate`.",
          .fields = joined(diff_fields(), page_fields()),
          .answer = answer_diff};
}

}  // namespace stepscope::mcp
