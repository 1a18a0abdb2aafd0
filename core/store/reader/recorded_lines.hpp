// SPDX-License-Identifier: Apache-2.0
// The source lines that a process's store names, without decoding its events.
//
// Places are defined when they are first met, so the first part of a store names nearly all of
// them; only that part is read, and a long recording takes no longer than a short one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "core/support/result.hpp"

namespace stepscope {

struct RecordedLines {
  std::int64_t first_ns = 0;  // time of the first event that was read; 0: there was none
  std::map<std::string, std::set<std::uint32_t>> lines;  // by file, as the process names it
};

// Errors: io (cannot open), bad_input (no store file), unsupported (a newer format).
Result<RecordedLines> read_recorded_lines(const std::filesystem::path& store);

}  // namespace stepscope
