// SPDX-License-Identifier: Apache-2.0
// Who owns the time in which an op was ready and the device had not begun it: the launch on its way,
// the device's own dispatch, the tracer, modules being loaded, other processes; else it is unknown.
#pragma once

#include <vector>

#include "core/attribution/dependencies.hpp"
#include "core/attribution/walk/owners.hpp"

namespace stepscope {

class DispatchGap {
 public:
  // The device takes 1-2 us from one queued op to the next; beyond this nobody knows what it did.
  static constexpr std::int64_t kLimitNs = 10'000;

  DispatchGap(const WalkedProcess& walked, const Owners& owners);

  // Of an op that is ready since ready.time, and not running until path.time.
  void own(WalkPath& path, DeviceOpId op, const Readiness& ready) const;

 private:
  struct Told {
    Interval time;
    Cause cause;
  };
  std::vector<Told> told_in(Interval time) const;
  Cause unseen_by(DeviceOpId op, std::int64_t time) const;

  const WalkedProcess& walked_;
  const Owners& owners_;
  // Any thread's: the profiler's own work, and loading or compiling of modules.
  IntervalSet overhead_, loading_;
};

}  // namespace stepscope
