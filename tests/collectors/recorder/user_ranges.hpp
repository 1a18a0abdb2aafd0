// SPDX-License-Identifier: Apache-2.0
// Names and ranges as a hook would record them, in a child that records, and what came of them.
#pragma once

#include <string>
#include <vector>

#include "collectors/recorder/live_files/ring.hpp"
#include "tests/collectors/recorded_child.hpp"

namespace stepscope::recorder {

inline NameId name(const std::string& text) {
  return intern_name(text.data(), text.size());
}

inline RangeName ranged(const std::string& text) {
  return range_name(text.data(), text.size());
}

inline void begin(std::uint16_t lane, HostKind kind, const std::string& text) {
  begin_range(lane, kind, ranged(text), 0, 0, kNoSequence);
}

inline void begin_user(const std::string& text) {
  begin(kLaneUser, HostKind::user_scope, text);
}

// Waits until all that the calling thread has recorded is in the store.
inline void wait_until_written() {
  while (thread_ring->tail != thread_ring->head) usleep(1'000);
}

inline std::vector<std::string> names_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const StringId id : trace.host_ranges().name) names.emplace_back(trace.text(id));
  return names;
}

}  // namespace stepscope::recorder
