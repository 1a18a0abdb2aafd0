// SPDX-License-Identifier: Apache-2.0
// A run as tracks, the same for every viewer of timelines: our own (steps, phases, causes; causes
// of each device where a process drives several), then threads, then streams; counters and marks.
//
// Viewers want slices of one track to nest. Those that do not (crossing ranges of a thread,
// overlapping ops of a stream) are spread over lanes of the same track: nothing is clipped or left
// out. Slices of a lane are in order of begin, the longer first.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/exporters/exported.hpp"

namespace stepscope::exporting {

enum class TrackKind : std::uint8_t { steps, phases, causes, thread, stream };

struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::string_view name;
  std::uint32_t row = kNone;  // RangeId of threads, DeviceOpId of streams, index of the rest
};

struct Track {
  TrackKind kind = TrackKind::thread;
  std::string name;
  ProcessId process = 0;
  std::uint32_t row = kNone;  // ThreadId, StreamId, or the device of causes
  std::vector<std::vector<Slice>> lanes;
};

struct Timeline {
  std::vector<Track> tracks;
  std::deque<std::string> texts;  // names that the trace does not hold
};

Timeline timeline_of(const Exported& run);

// Puts slices, in order of begin and the longer first, into the fewest lanes in which they nest,
// first fit.
std::vector<std::vector<Slice>> in_lanes(std::vector<Slice> slices);

}  // namespace stepscope::exporting
