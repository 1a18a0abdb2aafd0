// SPDX-License-Identifier: Apache-2.0
// What an export says about the run: processes and threads by name, devices, versions, the command,
// and what the tracer itself complained about.
#pragma once

#include "core/importers/nsys/filling.hpp"

namespace stepscope::nsys {

// UTC of time 0 of the session; where the export does not say it, 1 s.
std::int64_t session_begin(const Database& database);
// When the session ended, on the clock of the events; 0 where not said.
std::int64_t session_end(Filling& to);

// After all events and Entities::finish.
Status read_facts(Filling& to, ProcessId main);

// Where the texts that events refer to were not exported.
void note_missing_names(Filling& to);

// Tables of events that hold rows and were not read.
void note_unread_tables(Filling& to);

}  // namespace stepscope::nsys
