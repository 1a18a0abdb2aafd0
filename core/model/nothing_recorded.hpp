// SPDX-License-Identifier: Apache-2.0
// The recorder's note on a plan of the user's (--start-after, --capture-range, ...) whose time
// never came in a process: how it begins, and the reason that follows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

inline constexpr std::string_view kNothingRecorded = "nothing was recorded: ";

// Returns the reason in the first such note of a trace; empty where there is none.
inline std::string why_nothing_recorded(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (note.starts_with(kNothingRecorded)) return note.substr(kNothingRecorded.size());
  }
  return "";
}

}  // namespace stepscope
