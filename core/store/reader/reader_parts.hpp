// SPDX-License-Identifier: Apache-2.0
// Steps of reading a trace behind its chunks. Internal to core/store.
#pragma once

#include <filesystem>
#include <string>

#include "core/model/trace.hpp"
#include "core/store/reader/session.hpp"
#include "core/support/result.hpp"

namespace stepscope::store {

// Appends the open ranges of a file's writers as host ranges. One that a late end matches ends
// there (the innermost of its thread and lane first), any other at the last time in the file, with
// a note.
void end_open_ranges(FileState& file, const std::string& name);

// Adds the facts of run.json to every process that lacks them, and its notes. A run.json that is missing or
// damaged is only noted; one of a newer schema is an error (unsupported).
Status add_run_json(const std::filesystem::path& path, TraceData& data);

}  // namespace stepscope::store
