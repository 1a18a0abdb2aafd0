// SPDX-License-Identifier: Apache-2.0
// Assigns owners to the time in which an op was ready and the device had not begun it: the launch
// latency, the device's own dispatch, the tracer, the loading of modules, other processes; what is
// left is unknown.
#pragma once

#include <vector>

#include "core/attribution/dependencies.hpp"
#include "core/attribution/walk/owners.hpp"

namespace stepscope {

class DispatchGap {
 public:
  // The device takes 1-2 us from one queued op to the next; beyond this nobody knows what it did.
  static constexpr std::int64_t kLimitNs = 10'000;

  DispatchGap(const ProcessIndex& index, const Owners& owners);

  // Assigns owners to [ready.time, path.time): `op` was ready and had not begun.
  void own(WalkPath& path, DeviceOpId op, const Readiness& ready) const;

 private:
  struct Overhead {
    Interval time;
    Cause cause;
  };
  std::vector<Overhead> overheads_in(Interval time) const;
  Cause unseen_by(DeviceOpId op, std::int64_t time) const;

  const ProcessIndex& index_;
  const Owners& owners_;
  // Over all threads: the profiler's own work, and the loading or compiling of modules.
  IntervalSet overhead_, loading_;
};

}  // namespace stepscope
