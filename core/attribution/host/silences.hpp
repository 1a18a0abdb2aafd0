// SPDX-License-Identifier: Apache-2.0
// What the sampler says of each nanosecond of a thread's silences: which sample stands for it, and
// whether the thread was awake (it ran, or waited for a core: core_waits.hpp) or slept. A silence is
// a piece of the timeline that no op and no API call is around.
//
// Between two samples the thread's clocks tell exactly how long it did which of the two, and a
// sample stands for what it was taken in: one of a sleeping thread for time asleep alone, one of an
// awake one for time awake. So it does not matter that a sampler on
// a busy machine comes to look when the thread sleeps. Of two samples in one silence that were
// taken in the same, each stands for half. Before a silence's first sample, behind its last one,
// and where there is none, the usual lines stand in (usual_lines.hpp).
//
// Older traces do not tell what the thread did when it was looked at: there a sample
// holds from its time to the next one's, the first from the silence's begin, the last to its end.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/usual_lines.hpp"
#include "core/model/sample_doing.hpp"

namespace stepscope {

class Silences {
 public:
  Silences(const Trace& trace, const Threads& threads, const ThreadCpu& cpu);

  struct Stretch {
    Interval time;
    std::uint32_t row = kNone;  // of Samples; kNone: it was never seen there
    State state = State::not_told;
    bool is_seen = false;  // a look fell into this silence
  };
  // What holds in the nanosecond before `t`, which is in (silence.begin, silence.end].
  Stretch before(ThreadId thread, Interval silence, std::int64_t t) const;
  // Returns all silences between the thread's first and its last record, in order of time.
  std::vector<Stretch> all(ThreadId thread) const;

 private:
  struct Start {
    std::int64_t begin;
    std::uint32_t row;
    State state;
    bool is_seen;
  };
  class Filler;

  std::vector<std::vector<Start>> stretches_;  // by thread, in order of time
};

}  // namespace stepscope
