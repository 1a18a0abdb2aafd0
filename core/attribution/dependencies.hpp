// SPDX-License-Identifier: Apache-2.0
// Why a device op could not begin earlier, and what a host call waited for.
//
// Predecessors of a device op compete by readiness, not by end (docs/design/attribution.md):
//   launch   min(call end, op begin) + L, L = median of (begin - call end) over kernel launches
//            into an empty stream
//   stream   end of the op before it in its stream, plus the device's dispatch time D
//   graph    end of the last op of the same graph launch that ended before this one began
//   event    end of the last op that an awaited event stood behind
// The latest binds. A host call may have waited for the end of device work: synchronisation, a copy
// that returned only after its own op, a launch into a full queue.
// Invariant: a predecessor is a lower DeviceOpId (it began no later), so every chain of them ends.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/attribution/attribution.hpp"
#include "core/attribution/launch_times.hpp"
#include "core/model/trace.hpp"

namespace stepscope {

enum class Binding : std::uint8_t { none, launch, stream, graph, event };

struct Readiness {
  Binding binding = Binding::none;
  std::int64_t time = 0;           // when the op could have begun; not clipped to its begin
  CallId launch = kNone;           // where binding is launch
  DeviceOpId predecessor = kNone;  // where binding is stream, graph or event
};

class Dependencies {
 public:
  Dependencies(const Trace& trace, ProcessId process);

  Readiness readiness(DeviceOpId op) const;
  // Returns when the host had let go of the op; the earliest time there is, where no launch was
  // recorded.
  std::int64_t issue_time(DeviceOpId op) const { return launches_.issue_time(op); }

  // The last op that a synchronising or blocking call waited for; kNone where it waited for nothing
  // (all the work that it asked about had ended before it began).
  DeviceOpId awaited_by(CallId call) const;

  // Other than stream order: the op before it in its graph launch (kNone: none), and the ops that
  // events made it wait for.
  DeviceOpId before_in_graph(DeviceOpId op) const;
  std::span<const DeviceOpId> awaited_by_events(DeviceOpId op) const;
  // The op behind which the event of a sync_event call was recorded; kNone: none, or not known.
  DeviceOpId event_target(CallId call) const;

  // The launch call found the queue full: it began with as many launches outstanding as the queue
  // holds.
  bool blocked_on_full_queue(CallId call) const { return launches_.is_blocked(call); }

  // The first launch of its kernel, which loads it (CUDA_MODULE_LOADING=LAZY, what CUDA 12.2 and
  // later take). Never of other tools' traces, nor where a plan left out the process's first
  // launches (records dropped at the start are not noticed).
  bool loads_its_kernel(CallId call) const { return launches_.loads_its_kernel(call); }

  // True where the launch had been issued when the op before it in its stream ended.
  bool queued_behind(DeviceOpId op, std::int64_t time) const;

  // An op of the process, on any of its devices, that runs at `time`; the one that ends last.
  DeviceOpId running_at(std::int64_t time) const;
  std::int64_t dispatch_ns() const { return launches_.dispatch_ns(); }
  std::int64_t typical_launch_call_ns() const { return launches_.typical_call_ns(); }
  const Edges& edges() const { return edges_; }
  const std::vector<DeviceOpId>& ops() const { return ops_; }  // the process's ops, by begin

 private:
  void list_issue_times();
  void link_events();
  void link_graphs();
  DeviceOpId last_in_stream_issued_before(StreamId stream, std::int64_t time) const;
  DeviceOpId awaited_ending_in(Interval call, StreamId stream) const;

  const Trace& trace_;
  ProcessId process_;
  std::vector<DeviceOpId> ops_;
  std::vector<DeviceOpId> by_end_;
  std::vector<DeviceOpId> before_in_stream_;
  LaunchTimes launches_;
  std::vector<std::vector<std::int64_t>> issued_;  // a stream's ops: latest issue so far
  std::unordered_map<DeviceOpId, DeviceOpId> before_in_graph_;  // ops of one graph launch
  std::unordered_map<DeviceOpId, std::vector<DeviceOpId>>
      awaited_events_;                                        // op -> ops it waits for
  std::unordered_map<CallId, DeviceOpId> event_sync_target_;  // event sync call -> op
  Edges edges_;
};

}  // namespace stepscope
