// SPDX-License-Identifier: Apache-2.0
// How a thread spent an interval: on a core, ready to run and waiting for one, or asleep. From
// samples of its clocks (its own, and those of the sampler beside it). Between two it is taken to
// have gone on with what it was seen doing at the first, for as long as the clocks allow, and to
// have begun in time with what it was seen doing at the second; where that was not told, to have
// done everything evenly. Where nothing tells how long it waited for a core that counts as sleep.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class ThreadCpu {
 public:
  explicit ThreadCpu(const Trace& trace);

  struct Use {  // ns; they sum to the interval's length
    std::int64_t ran = 0, waited = 0, slept = 0;
  };
  // Nothing where no samples lie around the interval.
  std::optional<Use> use(ThreadId thread, Interval time) const;
  // Of it the part on a core, 0..1.
  std::optional<double> share(ThreadId thread, Interval time) const;
  // In which samples tell how long it waited for a core; empty where they never do.
  Interval waits_known(ThreadId thread) const;
  // When its wait for a core was read, in order of time.
  const std::vector<std::int64_t>& looks(ThreadId thread) const { return looks_[thread]; }
  // That it waited for a core in as much of the interval as lies in waits_known().
  std::int64_t waited_ns(ThreadId thread, Interval time) const;

 private:
  struct Sample {
    std::int64_t time;
    double ns;  // so far
  };
  using Samples = std::vector<Sample>;  // in order of time
  static double at(const Samples& samples, std::int64_t time);
  static std::optional<double> in(const Samples& samples, Interval time);
  void settle_waits(const Trace& trace, ThreadId thread);
  void bend(const Trace& trace, ThreadId thread);

  std::vector<Samples> ran_, waited_;             // by thread
  std::vector<std::vector<std::int64_t>> looks_;  // by thread
};

}  // namespace stepscope
