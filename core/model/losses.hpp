// SPDX-License-Identifier: Apache-2.0
// What a recording says of records that it lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

// Where a process's records are missing: a fact of the process, "BEGIN END, BEGIN END, ..." in
// nanoseconds, in order. The recorder writes it where the disk was full, and the reader of the file
// adds where parts of it are damaged.

class Trace;

inline constexpr const char* kLostStretches = "lost.stretches";

std::string text_of_stretches(const IntervalSet& stretches);
IntervalSet stretches_of_text(const std::string& text);  // what cannot be read ends the list

// Returns these and the times between readings of kNoRoomTrack that differ.
IntervalSet lost_stretches(const Trace& trace, ProcessId process);

// The recorder's note on a plan of the user's (--start-after, --capture-range, ...) whose time
// never came in a process: how it begins, and the reason that follows.

inline constexpr std::string_view kNothingRecorded = "nothing was recorded: ";

// Returns the reason in the first such note of a trace; empty where there is none.
inline std::string why_nothing_recorded(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    if (note.starts_with(kNothingRecorded)) return note.substr(kNothingRecorded.size());
  }
  return "";
}

// The recorder's note on a recording that ended before its process did: what stands between the
// reason and the time, behind which a colon follows.

inline constexpr std::string_view kRecordingEnded = "; recording ended ";

// Returns that time, "5.6 s after the process began", of the first such note; empty where there is
// none.
inline std::string when_recording_ended(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) {
    const std::size_t at = note.find(kRecordingEnded);
    if (at == std::string::npos) continue;
    const std::string when = note.substr(at + kRecordingEnded.size());
    return when.substr(0, when.find(':'));
  }
  return "";
}

}  // namespace stepscope
