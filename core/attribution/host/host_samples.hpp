// SPDX-License-Identifier: Apache-2.0
// Which sample represents a moment of a thread's silence, and what a loop's DataLoader workers did
// at that moment.
//
// Within one silence [begin, end) sample k owns [t_k, t_k+1): each nanosecond has one sample. The
// first owns what lies before it, too, and the last the rest: a thread that has slept since its
// last sample has no further one. Samples outside the silence say nothing about it.
//
// Workers: threads with samples of a worker. They count for the process that started them: that of
// the thread, where it was read from outside, and where a spawned worker recorded itself, also the
// process that its fact "parent_pid" names. Only those that live and serve the line at which the
// loop waits are counted (worker_lives.hpp).
//
// A wait gets the line at which most of the workers that were making a batch stood; of equally
// common lines, the one with the lowest id. In a silence without samples of workers, it gets the
// line at which they stood most often over the whole run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class HostSamples {
 public:
  explicit HostSamples(const Trace& trace);

  struct Seen {
    Interval time;              // the part of the silence that the sample owns
    std::uint32_t row = kNone;  // row of Samples; kNone: the silence holds no sample
  };
  // Returns the sample that owns the nanosecond t - 1, for t in (silence.begin, silence.end].
  Seen sample_before(ThreadId thread, Interval silence, std::int64_t t) const;

  struct Workers {
    Interval time;  // the part of the silence in which these numbers hold
    SiteId site = kNone;
    std::uint32_t busy = 0;   // workers that made a batch
    std::uint32_t known = 0;  // workers of that loader; 0: none was looked at
  };
  // Returns the state of the workers that `process` started at t - 1, for t in (silence.begin,
  // silence.end].
  Workers workers_before(ProcessId process, Interval silence, std::int64_t t) const;

 private:
  struct Change {  // from `time` on
    std::int64_t time;
    SiteId site;
    std::uint32_t busy, known;
  };
  void add_workers(const Trace& trace);
  void add_changes(const Trace& trace, const std::vector<std::uint32_t>& order);
  void add_changes_of(const Trace& trace, ProcessId process,
                      const std::vector<std::uint32_t>& rows);

  const Samples& samples_;
  std::vector<Rows> rows_;                    // by thread
  std::vector<std::vector<Change>> changes_;  // by process: of its workers, in order of time
  std::vector<SiteId> usual_worker_sites_;    // by process
};

}  // namespace stepscope
