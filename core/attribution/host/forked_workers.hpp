// SPDX-License-Identifier: Apache-2.0
// The workers of a loader as far as the clocks of a process's children show them (counter
// child_cpu.PID, collectors/host_sampler).
//
// A loader forks its workers one right behind the other. So the first readings of their clocks are of one
// round, and their process ids are neighbours. A child of such a round is a worker, too, though nobody
// looked at it: workers that live for a second or less are looked at by chance.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "core/attribution/host/clock_readings.hpp"
#include "core/model/ids.hpp"
#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

class ForkedWorkers {
 public:
  // `seen`: process ids of the workers that were looked at.
  ForkedWorkers(const Trace& trace, ProcessId process, const std::set<std::int64_t>& seen);

  // Returns how many workers that nobody looked at were forked together with these.
  std::uint32_t unseen_beside(const std::set<std::int64_t>& workers) const;

  // Returns the time on a core of all workers within `time`, in ns; 0 where clocks cover less than half of
  // it for most of them.
  double cpu_in(Interval time) const;
  // Returns what all of them computed from their fork to their last reading, in ns.
  double cpu_of_lives() const;

 private:
  std::map<std::int64_t, ClockReadings> clocks_;     // by process id
  std::map<std::int64_t, std::int64_t> rounds_;      // when each worker was first read
  std::map<std::int64_t, std::uint32_t> unseen_in_;  // by round
};

}  // namespace stepscope
