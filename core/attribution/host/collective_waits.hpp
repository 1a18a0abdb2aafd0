// SPDX-License-Identifier: Apache-2.0
// Finds when the loop's thread waits for a collective that another thread of its process carries
// out: Gloo and MPI run it on threads of their own, which record its range ("gloo:all_reduce"), and
// the caller sleeps without a record until it ends.
//
// A piece of the loop's thread [a, b) in which no op of its own runs is such a wait until the end d
// of the last collective that ended in it, if the thread woke up with it: from d to b it takes less
// time than it had waited. A thread that sleeps for its own reasons goes on sleeping when the
// collective ends. The helper records the end only after it woke the caller, so d may lie behind b
// by a tenth of the piece, and the wait ends at b. On a busy machine the helper also loses its core to
// the caller then: where the caller was seen asleep, until another thread would wake it, d may lie
// behind b by a slice of the scheduler's, up to half of the piece. Where the thread's clock shows that
// it ran instead, there is no wait.
//
// A thread that sleeps through several collectives waits all the while: what lies between two of them
// belongs to the wait for the second. In an op of the process group it waits from the op's begin on.
//
// Sends to one rank and receipts from one have no thread of their own in Gloo: the caller's own range
// ("gloo:recv") lasts until the message has come, and is such a wait.
//
// The waits are in order of time and do not overlap; each names the collective that ended it.
#pragma once

#include <string_view>
#include <vector>

#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/threads.hpp"

namespace stepscope {

class CollectiveWaits {
 public:
  CollectiveWaits(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
                  const HostSamples& samples);

  struct Wait {
    Interval time;
    RangeId collective = kNone;
  };
  // The last wait that begins before `time`; nullptr where there is none.
  const Wait* last_before(std::int64_t time) const;

 private:
  void add_waits_in(const Trace& trace, const Piece& piece, const std::vector<RangeId>& by_end,
                    std::int64_t latest_end);

  std::vector<Wait> waits_;
};

// The ranges with which other threads of the loop's process record collectives, sorted by end.
std::vector<RangeId> collectives_beside(const Trace& trace, const Threads& threads);

}  // namespace stepscope
