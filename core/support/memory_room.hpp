// SPDX-License-Identifier: Apache-2.0
// Whether there is memory for the rest of a file, asked now and then while it is read: a file that
// does not fit ends with a message, and not with a machine that swaps.
//
// The room has gone when less is left than the process holds: what is read off a trace takes more
// than the trace itself (a report of 5.1 million events: 1.3 GB at its peak, the trace about a
// quarter of it), so a trace that fills half of the memory could be read and not be worked on.
#pragma once

#include <cstdint>

#include "core/support/memory_limit.hpp"
#include "core/support/result.hpp"

namespace stepscope {

class MemoryRoom {
 public:
  using Bytes = std::uint64_t (*)();
  explicit MemoryRoom(Bytes held = resident_bytes, Bytes left = memory_left_bytes)
      : held_(held), left_(left) {}

  // done of total, in one unit (bytes, rows); total 0 where it is not known. Error: unsupported,
  // with the memory that the whole file would need, without the file's name.
  Status check(std::uint64_t done, std::uint64_t total) const;

 private:
  Bytes held_;
  Bytes left_;
};

}  // namespace stepscope
