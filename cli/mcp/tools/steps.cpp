// SPDX-License-Identifier: Apache-2.0
// Tool "steps": single steps, in order or the longest first.
#include <algorithm>

#include "cli/mcp/tool.hpp"
#include "core/report/wording/trust.hpp"
#include "reports/json/json_rows.hpp"

namespace stepscope::mcp {
namespace {

constexpr std::size_t kCausesShown = 3;

std::vector<Field> steps_fields() {
  return {{.name = "step",
           .type = FieldType::whole,
           .about = "One step's id: all its parts",
           .least = INT64_MIN},
          {.name = "which",
           .about = "counted (default): those that the sums are over. long: those far beyond the "
                    "median. all: with warm-up and those that were not recorded whole",
           .choices = {"counted", "long", "all"}},
          {.name = "order",
           .about = "time (default), or longest first",
           .choices = {"time", "longest"}}};
}

std::vector<std::uint32_t> rows_of(const Summary& s, const std::string& which) {
  if (which == "long") return s.long_steps.rows;
  if (which == "counted") return s.counted;
  std::vector<std::uint32_t> out(s.steps.list.size());
  for (std::uint32_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

std::int64_t known_wall(const Step& step) {
  return step.wall_known ? step.wall_ns() : -1;
}

bool is_counted(const Summary& s, std::uint32_t row) {
  return std::find(s.counted.begin(), s.counted.end(), row) != s.counted.end();
}

Json whole_step(const Summary& s, std::uint32_t row, std::int64_t zero) {
  Json out = json_rows::step(s.steps.list[row], is_counted(s, row), s.step_parts[row]);
  out["at_ns"] = s.steps.list[row].window.begin - zero;
  return out;
}

// The causes that own most of it, as {"gpu.gemm": ns, ...}.
Json short_step(const Summary& s, std::uint32_t row, std::int64_t zero) {
  const Step& step = s.steps.list[row];
  Json out = {{"id", step.id},
              {"at_ns", step.window.begin - zero},
              {"wall_ns", step.wall_known ? Json(step.wall_ns()) : Json()}};
  if (!step.why_not_steady.empty()) out["why_not_steady"] = step.why_not_steady;
  PerCause<std::int64_t> left = s.step_parts[row];
  Json largest = Json::object();
  for (std::size_t i = 0; i < kCausesShown; ++i) {
    const auto most = std::max_element(left.begin(), left.end());
    if (*most <= 0) break;
    largest[std::string(name_of(static_cast<Cause>(most - left.begin())))] = *most;
    *most = 0;
  }
  out["largest_parts"] = std::move(largest);
  return out;
}

// Returns the zero of at_ns: the trace's first event; in a report's document the first step.
std::int64_t zero_of(const Run& run) {
  const auto events = run.events();
  if (events) return (*events)->trace.begin();
  const auto& list = run.summary_of_rank().steps.list;
  return list.empty() ? 0 : list.front().window.begin;
}

Result<Json> answer_steps(const ToolCall& call) {
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const Summary& s = (*run)->summary_of_rank();
  const std::int64_t zero = zero_of(**run);
  std::vector<std::uint32_t> rows = rows_of(s, call.arguments.text("which", "counted"));
  const auto wanted = call.arguments.whole("step");
  if (wanted) {
    rows = rows_of(s, "all");
    std::erase_if(rows, [&](std::uint32_t row) { return s.steps.list[row].id != *wanted; });
    if (rows.empty())
      return usage_error("step: the run has no step " + std::to_string(*wanted) +
                         "; without it the steps are listed");
  }
  if (call.arguments.text("order") == "longest")
    std::stable_sort(rows.begin(), rows.end(), [&s](std::uint32_t a, std::uint32_t b) {
      return known_wall(s.steps.list[a]) > known_wall(s.steps.list[b]);
    });
  const StepScale scale = scale_of(s);
  const Json head = {{"trace", (*run)->name().path}, {"steps", steps_text(scale)}};
  const auto at = [&](std::size_t i) {
    return wanted ? whole_step(s, rows[i], zero) : short_step(s, rows[i], zero);
  };
  return page(head, {.size = rows.size(), .at = at, .as_table = !wanted}, call.arguments);
}

}  // namespace

Tool steps_tool() {
  return {.name = "steps",
          .title = "Single steps",
          .about =
              "Each step's wall time and the causes that own most of it; use order=longest to "
              "see what makes the long ones long, and `events` with that `step` for what "
              "happened in it. at_ns counts from the trace's first event.",
          .fields = joined(joined({trace_field()}, steps_fields()), page_fields()),
          .answer = answer_steps};
}

}  // namespace stepscope::mcp
