// SPDX-License-Identifier: Apache-2.0
// What was still open when a process's record ended.
#pragma once

#include <string>

#include "core/store/reader/session.hpp"

namespace stepscope::store {

// Appends the open ranges of a file's writers as host ranges. One that a late end matches ends
// there (the innermost of its thread and lane first), any other at the last time in the file, with
// a note.
void end_open_ranges(FileState& file, const std::string& name);

}  // namespace stepscope::store
