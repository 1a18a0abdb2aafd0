// SPDX-License-Identifier: Apache-2.0
// Refines a piece of a host thread's time by samples: it is cut into parts, each with the cause and
// line of one sample. In a CUDA call the records say all, and an op keeps its line. A short silence
// without a sample keeps its cause, and one in a burst of calls takes the line of the next call.
// Time in which the thread waited for a core is host.core_wait at its line whatever the cause,
// except inside a collective, where it is comm.wait.
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
    SiteId site = kNone;                     // kNone: the records' line holds
    RangeId collective = kNone;              // what a comm.wait waits for
    AsleepIn asleep_in = AsleepIn::unknown;  // what a host.off_cpu slept in
  };
  // Returns the part that contains end - 1, which is in the piece; `by_records` is the cause that
  // HostCauses gives it.
  Part part_before(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;

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
