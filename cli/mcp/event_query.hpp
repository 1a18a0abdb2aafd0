// SPDX-License-Identifier: Apache-2.0
// Events of a trace by name, place, cause, step and time: host ranges ("h12") and device ops
// ("d34"), the ids that a report's evidence names.
//
// An event *owns* time where a segment of the exact partition names it as its evidence. With a
// cause or a phase asked for, only events that own such time match, and `owns_ns` is that time
// alone. An event is at a line if the line made it (of a device op: launched it), or if it owns
// time there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/loaded_run.hpp"
#include "cli/mcp/message.hpp"

namespace stepscope::mcp {

struct EventId {
  bool on_device = false;
  std::uint32_t row = 0;
};

std::string text_of(EventId id);  // "h12", "d34"
// Error: usage; without rows in the trace too.
Result<EventId> parse_event_id(const std::string& text, const Trace& trace);

enum class EventOrder : std::uint8_t { owns, longest, time };

struct EventQuery {
  std::string name;            // part of it, as it is written; empty: any
  std::string file;            // the last parts of a path; empty: any
  std::uint32_t line = 0;      // 0: any
  std::optional<Cause> cause;  // a cause of the owned time
  std::string phase;           // name or path's end, of the owned time
  std::optional<Interval> time;
  std::optional<bool> on_device;
  std::int64_t least_ns = 0;  // long
  EventOrder order = EventOrder::owns;
};

struct FoundEvent {
  EventId id;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t owns_ns = 0;
};

struct FoundEvents {
  std::vector<FoundEvent> list;  // in order; ties by time
  // Wall time of the asked cause, phase, place and time that no event shows. With it `owns_ns` of
  // all events of a cause and step sum to that part of the step.
  std::int64_t without_event_ns = 0;
};

FoundEvents find_events(const LoadedRun& run, const EventQuery& query);

// The line that made an event, its own or of what encloses it; of a device op that of the call that
// launched it. kNone: not known.
SiteId site_of(const Trace& trace, EventId id);

// Events as JSON. Times "at_ns" count from the trace's first event, so that they stay short.

std::string_view kind_of(const Trace& trace, EventId id);
std::string_view name_of_event(const Trace& trace, EventId id);

// A row of a list: id, kind, name, at_ns, ns, owns_ns, file, line.
Json event_row(const LoadedRun& run, const FoundEvent& event);

// All that the trace knows of it, with what encloses, launched or was launched by it, the step that
// it is in, and the time that it owns by cause.
Json event_json(const LoadedRun& run, EventId id);

}  // namespace stepscope::mcp
