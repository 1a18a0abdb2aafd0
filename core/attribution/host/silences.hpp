// SPDX-License-Identifier: Apache-2.0
// Divides each silence of a thread (a piece of its timeline inside no op and no API call) into
// stretches: which sample stands for each nanosecond, and whether the thread was awake (it ran, or
// waited for a core: core_waits.hpp) or asleep.
//
// Between two samples the thread's clocks count exactly how long it was in each state, and a sample
// stands only for time in the state in which it was taken. So it does not matter that the sampler
// of a busy machine mostly finds the thread asleep. Two samples of one silence in the same state
// stand for half of that time each. Before the first sample of a silence, behind its last one, and
// in a silence without samples, the lines that are usual at the place are used (usual_lines.hpp).
//
// Older traces do not hold the thread's state at a sample: there a sample stands for the time up to
// the next one, the first also for the time before it, and the last for the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attribution/host/thread_cpu.hpp"
#include "core/attribution/host/usual_lines.hpp"
#include "core/model/events.hpp"

namespace stepscope {

class Silences {
 public:
  Silences(const Trace& trace, const Threads& threads, const ThreadCpu& cpu);

  struct Stretch {
    Interval time;
    std::uint32_t row = kNone;  // row of Samples; kNone: no sample of this place is known
    ThreadState state = ThreadState::unknown;
    bool is_seen = false;   // the silence itself holds a sample
    bool is_known = false;  // or its place was looked into often (usual_lines.hpp)
  };
  // Returns the stretch that contains t - 1, for t in (silence.begin, silence.end].
  Stretch stretch_before(ThreadId thread, Interval silence, std::int64_t t) const;
  // Returns all silences between the thread's first and its last record, in order of time.
  std::vector<Stretch> all(ThreadId thread) const;

 private:
  struct Start {
    std::int64_t begin;
    std::uint32_t row;
    ThreadState state;
    bool is_seen, is_known;
  };
  class Filler;

  std::vector<std::vector<Start>> stretches_;  // by thread, in order of time
};

}  // namespace stepscope
