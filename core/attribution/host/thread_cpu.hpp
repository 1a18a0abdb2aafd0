// SPDX-License-Identifier: Apache-2.0
// How a thread spent an interval: on a core, ready to run and waiting for one, or asleep.
//
// Computed from samples of the thread's clocks, which it or the sampler beside it has read. Between
// two samples the thread is assumed to stay in the state of the first for as long as the clocks
// allow, and to enter the state of the second in time; where states are unknown, each clock
// advances evenly. Where no clock counts waits for a core, they count as sleep.
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
  // Returns nothing where no samples lie around the interval.
  std::optional<Use> use(ThreadId thread, Interval time) const;
  // Returns the share of the interval on a core, 0..1.
  std::optional<double> share(ThreadId thread, Interval time) const;
  // Returns the interval in which samples hold the wait for a core; empty where they never do.
  Interval waits_known(ThreadId thread) const;
  // Returns the times at which the wait for a core was read, in order.
  const std::vector<std::int64_t>& sample_times(ThreadId thread) const {
    return sample_times_[thread];
  }
  // Returns how long the thread waited for a core in the part of `time` that lies in waits_known().
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

  std::vector<Samples> ran_, waited_;                    // by thread
  std::vector<std::vector<std::int64_t>> sample_times_;  // by thread
};

}  // namespace stepscope
