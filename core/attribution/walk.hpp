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

#include "core/attribution/attribution.hpp"
#include "core/attribution/dependencies.hpp"
#include "core/attribution/device/shared_devices.hpp"
#include "core/attribution/host/host_cause.hpp"
#include "core/attribution/host/host_samples.hpp"
#include "core/attribution/host/silences.hpp"
#include "core/attribution/places/call_sites.hpp"
#include "core/attribution/places/op_places.hpp"
#include "core/attribution/places/phases.hpp"

namespace stepscope {

class Walk {
 public:
  Walk(const Trace& trace, const Threads& threads, const ThreadCpu& cpu, const PhaseTable& phases,
       const CallSites& sites, const Dependencies& dependencies, const OpPlaces& places,
       const HostSamples& samples, const OptimizerWork& optimizer, const SharedDevices& shared);

  // Appends segments that tile `idle`, in time order. `next` is the op that begins at idle.end, or
  // kNone where none does (end of the run, a run without a device): then the loop's thread owns the
  // time.
  void explain(Interval idle, DeviceOpId next, std::vector<Segment>& out) const;

  const HostCauses& causes() const { return causes_; }

  struct Sampled {
    std::int64_t since;  // in the piece, or before it
    Cause cause;
    SiteId site = kNone;  // kNone: the records' line holds
  };
  // What the sampler makes of the time before `end`, which is in the piece.
  Sampled sampled(ThreadId thread, const Piece& piece, std::int64_t end, Cause by_records) const;

 private:
  struct Path;  // one walk in progress
  struct Told {
    Interval time;
    Cause cause;
  };

  void at_op(Path& path) const;
  bool is_launched_unseen(DeviceOpId op, const Readiness& ready) const;
  void own_silence(Path& path, ThreadId thread, const Piece& piece) const;
  bool through_piece(Path& path) const;
  Cause unseen_by(DeviceOpId op, std::int64_t time) const;
  std::vector<Told> told_in(Interval time) const;
  void own_gap_after(Path& path, DeviceOpId op, const Readiness& ready) const;
  void own_call(Path& path, ThreadId thread, const Piece& piece) const;
  std::int64_t return_limit(ApiKind api, DeviceOpId awaited) const;
  void own_launch_call(Path& path, ThreadId thread, const Piece& piece, CallId call) const;
  ThreadId handed_over_by(ThreadId thread, std::int64_t time, const Piece& piece,
                          std::int64_t& end) const;
  void charge_sampled(Segment& segment, ThreadId thread, const Piece& piece) const;
  void charge_workers(Segment& segment, ThreadId thread, Interval silence) const;
  RangeId on_its_way(ThreadId thread, std::int64_t time) const;
  void own_host(Path& path, std::int64_t since, Cause cause, ThreadId thread,
                RangeId evidence) const;
  void own_device(Path& path, std::int64_t since, Cause cause, DeviceOpId op) const;

  const Trace& trace_;
  const Threads& threads_;
  const PhaseTable& phases_;
  const CallSites& sites_;
  const Dependencies& dependencies_;
  const OpPlaces& places_;
  HostCauses causes_;
  const HostSamples& samples_;
  Silences silences_;
  const SharedDevices& shared_;
  // Any thread's: the profiler's own work, and loading or compiling of modules.
  IntervalSet overhead_;
  IntervalSet loading_;
};

}  // namespace stepscope
