// SPDX-License-Identifier: Apache-2.0
// Which sample holds at a moment of a thread's silence, and what a loop's DataLoader workers did
// then.
//
// Within one silence [begin, end) sample k owns [t_k, t_k+1): each nanosecond has one sample. The
// first owns what lies before it, too, and the last the rest: a thread that has slept since its
// last sample has no further one. Samples outside the silence say nothing about it.
//
// A silence that no look fell into has no sample. Where the thread was in a range then, the line at
// which it was seen most often in ranges of that name stands in.
//
// Workers: the line at which most of those that made a batch were; of lines as common as another,
// the one with the lower id.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "core/attribution/threads.hpp"
#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class HostSamples {
 public:
  HostSamples(const Trace& trace, const Threads& threads);

  struct Seen {
    Interval time;              // what it owns of the silence
    std::uint32_t row = kNone;  // of Samples; kNone: the silence holds none
  };
  // What holds in the nanosecond before `t`, which is in (silence.begin, silence.end].
  Seen before(ThreadId thread, Interval silence, std::int64_t t) const;

  // kNone: it was never seen in one.
  SiteId usual_site(ThreadId thread, StringId range_name) const;

  struct Workers {
    Interval time;  // of the silence, in which this holds
    SiteId site = kNone;
    std::uint32_t busy = 0;  // workers that made a batch
    std::uint32_t known = 0;
  };
  // Of the workers that `process` started.
  Workers workers_before(ProcessId process, Interval silence, std::int64_t t) const;

 private:
  struct Change {  // from `time` on
    std::int64_t time;
    SiteId site;
    std::uint32_t busy, known;
  };
  void add_workers(const Trace& trace);
  void add_usual_sites(const Trace& trace, const Threads& threads);

  const Samples& samples_;
  std::vector<Rows> rows_;                    // by thread
  std::vector<std::vector<Change>> changes_;  // by process: of its workers, in order of time
  std::map<std::pair<ThreadId, StringId>, SiteId> usual_sites_;
};

}  // namespace stepscope
