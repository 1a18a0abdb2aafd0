// SPDX-License-Identifier: Apache-2.0
// The backward walk: who owns an idle interval of the device.
//
// It starts at the op that ended the interval and goes back in time along whatever that op, and
// then each host call in turn, was really waiting for: thread order, launch, stream order, event
// waits, the return of a synchronisation, a copy's staging, the hand-off to and from autograd
// threads. Each step back owns the time it covers, so the owners tile the interval.
//
// Waiting inside a call is an edge of weight 0: only the return after what was awaited has an owner
// (host.sync_return). Work of another device on the path is comm.late_rank: this device waits for a
// peer.
#pragma once

#include <vector>

#include "core/attribution/dependencies.hpp"
#include "core/attribution/host/threads.hpp"
#include "core/attribution/walk/call_time.hpp"
#include "core/attribution/walk/dispatch_gap.hpp"
#include "core/attribution/walk/owners.hpp"

namespace stepscope {

class Walk {
 public:
  explicit Walk(const ProcessIndex& index);
  Walk(const Walk&) = delete;  // its members refer to each other
  Walk& operator=(const Walk&) = delete;

  // Appends segments that tile `idle`, in time order. `next` is the op that begins at idle.end, or
  // kNone where none does (end of the run, a run without a device): then the loop's thread owns the
  // time.
  void explain(Interval idle, DeviceOpId next, std::vector<Segment>& out) const;

 private:
  void at_op(WalkPath& path) const;
  bool is_launched_unseen(DeviceOpId op, const Readiness& ready) const;
  bool through_piece(WalkPath& path) const;
  struct HandOver {
    ThreadId to = kNone;  // kNone: the thread's own time
    std::int64_t at = 0;
  };
  HandOver handed_over(const WalkPath& path, const Piece& piece, Cause cause) const;
  HandOver handed_over_by_loop(std::int64_t time, const Piece& piece) const;
  void own_silence(WalkPath& path, ThreadId thread, const Piece& piece) const;

  const ProcessIndex& index_;
  Owners owners_;
  CallTime call_time_;
  DispatchGap dispatch_gap_;
};

}  // namespace stepscope
