// SPDX-License-Identifier: Apache-2.0
// Finds the times in which the lost chunks of a file held records: within a session, from the last
// time of the sound chunk before them to the first of the next; where those two overlap, their
// overlap. A session's first sound chunk has lost chunks from 0 on before it, and behind its last
// one they reach to the end of the recording.
#pragma once

#include <map>
#include <vector>

#include "core/store/format.hpp"
#include "core/support/interval.hpp"

namespace stepscope::store {

class LostChunks {
 public:
  // Adds the file's chunks in order.
  void add(const ChunkHeader& chunk, bool is_sound);
  // `end`: of all records. `is_torn`: the file ends in a chunk that is not whole.
  IntervalSet stretches(bool is_torn, std::int64_t end) const;

 private:
  struct SessionEnd {                  // what was read last of a session
    std::int64_t first = 0, last = 0;  // times of its last sound chunk that has any
    std::uint32_t next = 0;            // the next chunk's sequence number
    bool lacks = false;                // chunks are missing behind that one
  };
  std::map<std::uint32_t, SessionEnd> sessions_;
  std::uint32_t latest_ = 0;
  std::vector<Interval> lost_;
};

}  // namespace stepscope::store
