// SPDX-License-Identifier: Apache-2.0
// Events as JSON. Times "at_ns" count from the trace's first event, so that they stay short.
#pragma once

#include "cli/mcp/event_query.hpp"
#include "cli/mcp/message.hpp"

namespace stepscope::mcp {

std::string_view kind_of(const Trace& trace, EventId id);
std::string_view name_of_event(const Trace& trace, EventId id);

// A row of a list: id, kind, name, at_ns, ns, owns_ns, file, line.
Json event_row(const LoadedRun& run, const FoundEvent& event);

// All that the trace knows of it, with what encloses, launched or was launched by it, the step that
// it is in, and the time that it owns by cause.
Json event_json(const LoadedRun& run, EventId id);

}  // namespace stepscope::mcp
