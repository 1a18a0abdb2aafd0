// SPDX-License-Identifier: Apache-2.0
// Writes the segments of a path: time that a host thread or a device op owns, with its phase and its
// line. Both take the path back to `since`, and no further than to its begin.
#pragma once

#include "core/attribution/host/threads.hpp"
#include "core/attribution/walk/path.hpp"

namespace stepscope {

class Owners {
 public:
  explicit Owners(const ProcessIndex& index) : index_(index) {}

  // `evidence` is the innermost range of that time, kNone between ranges. A silence is cut where
  // another sample stands for it, and takes that sample's cause and line.
  void host(WalkPath& path, std::int64_t since, Cause cause, ThreadId thread,
            RangeId evidence) const;
  void device(WalkPath& path, std::int64_t since, Cause cause, DeviceOpId op) const;

 private:
  void charge_sampled(Segment& segment, ThreadId thread, const Piece& piece) const;
  void charge_workers(Segment& segment, ThreadId thread, Interval silence) const;
  void charge_records(Segment& segment, ThreadId thread, std::int64_t end) const;

  const ProcessIndex& index_;
};

}  // namespace stepscope
