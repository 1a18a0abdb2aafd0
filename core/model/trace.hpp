// SPDX-License-Identifier: Apache-2.0
// Trace: one run, immutable once built, cheap to copy (shared), safe to read from any thread.
//
// Trace::build takes the columns in any order and establishes what every reader relies on:
//   host ranges   sorted by (thread, begin, longer first); one thread is one contiguous row range
//   parent        the innermost range of the same thread that is active at begin: of all ranges
//                 that are open there
//                 the one with the latest begin (families may cross, see HostFamily)
//   calls         sorted by their range; a range of kind runtime_call or driver_call has one
//   collectives   sorted by their range, with their ordinals
//   graph nodes   sorted by time
//   samples       sorted by (thread, time)
//   loop positions  sorted by (thread, time), rows of one time as they were noted
//   device ops    sorted by (begin, end); those without a time are removed and counted
//   times         end >= begin everywhere; a reversed event is made empty at its begin and counted
// Ranges that cross (end after their parent's end) are kept and counted. Nothing is clipped or
// dropped.
//
// Example:
//   TraceData data;                              // filled by an importer
//   const Trace trace = Trace::build(std::move(data));
//   for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) { ... trace.launch_of(op) ... }
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/entities.hpp"
#include "core/model/events.hpp"
#include "core/model/strings.hpp"

namespace stepscope {

struct TraceData {
  SourceKind source = SourceKind::unknown;
  std::string path;
  StringTable strings;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Stream> streams;
  std::vector<Site> sites;
  std::vector<LaunchConfig> launch_configs;
  HostRanges host_ranges;
  Calls calls;
  Collectives collectives;
  DeviceOps device_ops;
  GraphNodes graph_nodes;
  Syncs syncs;
  Counters counters;
  Marks marks;
  Samples samples;
  LoopPositions loop_positions;
  std::vector<ClockRecord> clocks;
  Collected collected;
  Health health;
};

// A row range [begin, end) of a table.
struct Rows {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t size() const { return end - begin; }
};

class Trace {
 public:
  static Trace build(TraceData data);

  const TraceData& data() const { return state_->data; }
  const HostRanges& host_ranges() const { return data().host_ranges; }
  const Calls& calls() const { return data().calls; }
  const DeviceOps& device_ops() const { return data().device_ops; }
  const GraphNodes& graph_nodes() const { return data().graph_nodes; }
  const Health& health() const { return data().health; }
  const Collected& collected() const { return data().collected; }
  std::string_view text(StringId id) const { return data().strings.view(id); }

  // Host ranges of one thread, sorted by begin.
  Rows ranges_of(ThreadId thread) const { return state_->thread_rows[thread]; }
  // Device ops of one stream in the order in which they began.
  std::span<const DeviceOpId> ops_of(StreamId stream) const;
  // The call that put an op on the device; kNone where the trace holds none.
  CallId launch_of(DeviceOpId op) const { return state_->launch_of[op]; }
  // The device ops of a call (several for a graph launch), in begin order.
  std::span<const DeviceOpId> ops_launched_by(CallId call) const;
  // The call whose host range this is; kNone for ranges that are no call.
  CallId call_of(RangeId range) const;

  // The run used a device, whether or not its work was recorded: ops in the trace, or the fact "cuda". A
  // CUDA that was initialised while calls and device work were recorded, and that launched nothing, was
  // not used: libraries ask it for its devices.
  bool used_device() const;
  // Whether PyTorch ran in the process, without a device, and its operations were not recorded, as
  // stepscope does where there is a GPU.
  bool lacks_operations(ProcessId process) const;

  // First begin and last end over all events; empty trace: {0, 0}.
  std::int64_t begin() const { return state_->begin; }
  std::int64_t end() const { return state_->end; }
  std::uint64_t event_count() const;
  std::uint64_t memory_bytes() const;

 private:
  struct State {
    TraceData data;
    std::vector<Rows> thread_rows;
    std::vector<DeviceOpId> stream_order;  // all ops, grouped by stream
    std::vector<Rows> stream_rows;         // into stream_order
    std::vector<CallId> launch_of;
    std::vector<DeviceOpId> launched;  // all linked ops, grouped by call
    std::vector<Rows> launched_rows;   // into launched, a row a call
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };
  explicit Trace(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace stepscope
