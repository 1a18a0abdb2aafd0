// SPDX-License-Identifier: Apache-2.0
// Finds where a thread waited for a core.
//
// Between two samples the thread's clocks say to the nanosecond how long it was ready to run and
// had no core, but not when. One rule finds the place, inside operations and calls and between them
// alike: a wait makes the piece of the timeline that it falls into longer than such pieces usually
// are, so the one that is longest beyond its usual length gives up that much first, then the next
// one. The rest of the waiting is taken from all pieces between the samples in proportion to their
// lengths. What the clocks say that the thread ran stays in these pieces: a sample may call a whole
// silence asleep of which the thread slept a part, so only what finds no room in them is taken from
// time in which it is known to have slept.
//
// Pieces are alike where they have the same name and call site and stand between the same
// neighbours. Their usual length is the lower quartile: most are too short to be met by a wait,
// however busy the machine. A piece gives up its end.
//
// Invariant: the waits between two samples sum to what the clocks say of that time
// (ThreadCpu::use), to the nanosecond.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/host/silences.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/threads.hpp"

namespace stepscope {

class CoreWaits {
 public:
  CoreWaits(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
            const Silences& silences);

  struct Stretch {
    std::int64_t since = 0;
    bool waits = false;
  };
  // Returns the stretch that contains the nanosecond before `end`.
  Stretch stretch_before(ThreadId thread, std::int64_t end) const;

 private:
  std::vector<IntervalSet> waits_;  // by thread
};

}  // namespace stepscope
