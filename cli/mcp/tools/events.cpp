// SPDX-License-Identifier: Apache-2.0
// Tools "events" and "event": the evidence itself.
#include <fmt/format.h>

#include <numeric>

#include "cli/mcp/event_query.hpp"
#include "cli/mcp/tool.hpp"
#include "core/support/words.hpp"

namespace stepscope::mcp {
namespace {

std::vector<Field> events_fields() {
  return {
      {.name = "name",
       .about = "Part of the event's name. Example: cudaStreamSynchronize, aten::mm"},
      {.name = "file", .about = "Made at this file: its name or the last parts of its path"},
      {.name = "line",
       .type = FieldType::whole,
       .about = "Made at this line of `file`",
       .least = 1,
       .most = UINT32_MAX},
      {.name = "cause",
       .about = "Owns time of this cause, as `report` names it. Example: host.sync_return"},
      {.name = "phase", .about = "Owns time in this phase: its name or the end of its path"},
      {.name = "step",
       .type = FieldType::whole,
       .about = "Within this step's window, by its id",
       .least = INT64_MIN},
      {.name = "from_ns", .type = FieldType::whole, .about = "Ends behind this at_ns"},
      {.name = "to_ns", .type = FieldType::whole, .about = "Begins before this at_ns"},
      {.name = "on",
       .about = "host: ranges and calls. device: kernels, copies, sets. Default both",
       .choices = {"host", "device"}},
      {.name = "least_ns", .type = FieldType::whole, .about = "At least this long"},
      {.name = "order",
       .about = "owns (default): by the wall time that it owns. longest. time: as they happened",
       .choices = {"owns", "longest", "time"}}};
}

Result<Cause> cause_of(const std::string& name) {
  if (const auto cause = cause_named(name)) return *cause;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kCauseCount; ++i) names.push_back(name_of(static_cast<Cause>(i)));
  const std::string_view near = nearest(name, names);
  return usage_error(fmt::format(
      "cause: '{}' is none; {}", name,
      near.empty() ? "tool 'report' lists them" : fmt::format("did you mean '{}'?", near)));
}

Result<Interval> window_of(const LoadedRun& run, std::int64_t id) {
  for (const Step& step : run.steps.list)
    if (step.id == id) return step.window;
  return usage_error(fmt::format("step: the run has no step {}; tool 'steps' lists them", id));
}

// Returns the time that the step, from_ns and to_ns give together.
Result<std::optional<Interval>> time_of(const LoadedRun& run, const Arguments& arguments) {
  std::optional<Interval> out;
  if (const auto step = arguments.whole("step")) {
    const auto window = window_of(run, *step);
    if (!window) return window.error();
    out = *window;
  }
  const auto from = arguments.whole("from_ns"), to = arguments.whole("to_ns");
  if (!from && !to) return out;
  const std::int64_t length = run.trace.end() - run.trace.begin() + 1;
  const Interval asked{run.trace.begin() + std::min(from.value_or(0), length),
                       run.trace.begin() + std::min(to.value_or(length), length)};
  if (asked.empty())
    return usage_error(fmt::format(
        "from_ns, to_ns: the range holds nothing; the trace is {} ns long", length - 1));
  return std::optional(out ? intersect(*out, asked) : asked);
}

EventOrder order_of(const std::string& word) {
  if (word == "longest") return EventOrder::longest;
  return word == "time" ? EventOrder::time : EventOrder::owns;
}

Result<EventQuery> query_of(const LoadedRun& run, const Arguments& arguments) {
  EventQuery out{.name = arguments.text("name"),
                 .file = arguments.text("file"),
                 .line = static_cast<std::uint32_t>(arguments.whole("line").value_or(0)),
                 .phase = arguments.text("phase"),
                 .least_ns = arguments.whole("least_ns").value_or(0),
                 .order = order_of(arguments.text("order"))};
  if (out.line > 0 && out.file.empty()) return usage_error("line: needs `file` besides");
  if (arguments.has("on")) out.on_device = arguments.text("on") == "device";
  if (arguments.has("cause")) {
    const auto cause = cause_of(arguments.text("cause"));
    if (!cause) return cause.error();
    out.cause = *cause;
  }
  const auto time = time_of(run, arguments);
  if (!time) return time.error();
  out.time = *time;
  return out;
}

Result<Json> answer_events(const ToolCall& call) {
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const auto events = (*run)->events();
  if (!events) return events.error();
  const LoadedRun& loaded = **events;
  const auto query = query_of(loaded, call.arguments);
  if (!query) return query.error();
  const FoundEvents events_found = find_events(loaded, *query);
  const std::vector<FoundEvent>& found = events_found.list;
  const auto sum = [&found](auto ns_of) {
    return std::accumulate(found.begin(), found.end(), std::int64_t{0},
                           [&](std::int64_t ns, const FoundEvent& one) { return ns + ns_of(one); });
  };
  const Json head = {{"trace", (*run)->name().path},
                     {"sum_ns", sum([](const FoundEvent& one) { return one.end - one.begin; })},
                     {"sum_owns_ns", sum([](const FoundEvent& one) { return one.owns_ns; })},
                     {"without_event_ns", events_found.without_event_ns}};
  const auto at = [&](std::size_t i) { return event_row(loaded, found[i]); };
  return page(head, {.size = found.size(), .at = at}, call.arguments);
}

Result<Json> answer_event(const ToolCall& call) {
  const auto run = call.runs.named_by(call.arguments, call.progress);
  if (!run) return run.error();
  const auto events = (*run)->events();
  if (!events) return events.error();
  const auto id = parse_event_id(call.arguments.text("id"), (*events)->trace);
  if (!id) return usage_error("id: " + id.error().message);
  return fitted(event_json(**events, *id));
}

}  // namespace

Tool events_tool() {
  return {.name = "events",
          .title = "Find events",
          .about =
              "Events of the trace by name, line, cause, phase, step and time; all that are "
              "given must hold. ns is an event's length (events overlap, so sum_ns is no wall "
              "time); owns_ns is the wall time that the exact partition gives to it, and these "
              "sum, with without_event_ns, to the parts of the step. Example: {\"cause\": "
              "\"host.sync_return\"} shows which waits cost time. "
              "`event` shows one in full.",
          .fields = joined(joined({trace_field()}, events_fields()), page_fields()),
          .answer = answer_events};
}

Tool event_tool() {
  return {.name = "event",
          .title = "One event in full",
          .about =
              "An event by its id (h12 a host range, d34 a device op), as `evidence` and "
              "`events` give it: what it is inside of, what launched it or what it launched, "
              "its neighbours on the stream, its step, and the wall time that it owns by "
              "cause.",
          .fields = joined({{.name = "id", .about = "Like h12 or d34", .required = true}},
                           {trace_field()}),
          .answer = answer_event};
}

}  // namespace stepscope::mcp
