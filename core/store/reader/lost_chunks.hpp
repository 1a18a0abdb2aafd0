// SPDX-License-Identifier: Apache-2.0
// From which time to which the lost chunks of a file held records: within a session from the last
// time of the sound chunk before them to the first of the next; where those two overlap, their
// overlap. Before a session's first sound chunk from 0 on, behind its last to the end of all.
#pragma once

#include <map>
#include <vector>

#include "core/store/format.hpp"
#include "core/support/interval.hpp"

namespace stepscope::store {

class LostChunks {
 public:
  // In the file's order.
  void add(const ChunkHeader& chunk, bool is_sound);
  // `end`: of all records. `is_torn`: the file ends in a chunk that is not whole.
  IntervalSet stretches(bool is_torn, std::int64_t end) const;

 private:
  struct Known {                       // of a session
    std::int64_t first = 0, last = 0;  // of its last sound chunk with times
    std::uint32_t next = 0;            // the sequence number that comes now
    bool lacks = false;                // chunks behind that one
  };
  std::map<std::uint32_t, Known> sessions_;
  std::uint32_t latest_ = 0;
  std::vector<Interval> lost_;
};

}  // namespace stepscope::store
