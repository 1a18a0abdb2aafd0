// SPDX-License-Identifier: Apache-2.0
// What the sampler makes of a piece of a host thread's time: the cause and the line of the part for
// which one sample stands. In a CUDA call the records say all, and an op keeps its line. A short
// silence that no look fell into keeps its cause, and one in a burst of calls the line of the next.
// Whatever the cause, time in which the thread waited for a core is host.core_wait at that line, but
// for time inside a collective, which is comm.wait.
#pragma once

#include "core/attribution/host/collective_waits.hpp"
#include "core/attribution/host/core_waits.hpp"
#include "core/attribution/host/host_cause.hpp"
#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/host/silences.hpp"

namespace stepscope {

class SampledPieces {
 public:
  SampledPieces(const Trace& trace, const Threads& threads, const ThreadCpu& cpu,
                const CollectiveWaits& waits, const HostCauses& causes, const HostSamples& samples)
      : trace_(trace),
        loop_(threads.loop()),
        waits_(waits),
        causes_(causes),
        samples_(samples),
        silences_(trace, threads, cpu),
        core_waits_(trace, threads, cpu, silences_) {}

  struct Part {
    std::int64_t since;  // in the piece, or before it
    Cause cause;
    SiteId site = kNone;         // kNone: the records' line holds
    RangeId collective = kNone;  // what a comm.wait waits for
  };
  // Returns the part that contains end - 1, which is in the piece; `by_records` is what HostCauses says of it.
  Part before(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;

 private:
  Part with_core_waits(ThreadId thread, const Piece& piece, std::int64_t end,
                       Cause by_records) const;
  // The owner of the time if the thread had a core.
  Part by_sample(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;
  Part in_op(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;
  Part in_silence(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;

  const Trace& trace_;
  const ThreadId loop_;
  const CollectiveWaits& waits_;
  const HostCauses& causes_;
  const HostSamples& samples_;
  Silences silences_;
  CoreWaits core_waits_;
};

}  // namespace stepscope
