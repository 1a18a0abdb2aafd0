// SPDX-License-Identifier: Apache-2.0
// The task graph of a sample of steps, as the replay executes it.
//
//   host tasks    what a host thread did: a call of the CUDA API, or work between two calls, in the
//                 order in which they began, step by step
//   device tasks  in the order in which they were issued; a host task issues a range of them
//
// Durations are a task's own time; waiting is never a duration but a rule: what a task waits for,
// and what its return takes after that. Units: nanoseconds, decimal because edits scale them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attribution/attribution.hpp"

namespace stepscope {

enum class WaitKind : std::uint8_t {
  none,
  own_ops,  // until the ops that it issued have ended
  stream,   // until all that its stream holds has ended
  device,   // until all that the device holds has ended
  op,       // until one op has ended (an event behind it)
};

struct HostTask {
  std::int64_t begin = 0;  // as recorded: the order of tasks
  std::int64_t end = 0;
  double ns = 0;             // own time, without waiting
  double return_ns = 0;      // from the end of what it waits for to its return; negative: before
  double making_ns = 0;      // with a producer: how long it works for what is taken here
  double follows_ns = 0;     // with `follows`: from there to its begin
  double records = 0;        // ranges recorded in it: what a profiler's own cost grows with
  CallId call = kNone;       // kNone: work between calls
  RangeId range = kNone;     // the call's, or the innermost of the work
  std::uint32_t thread = 0;  // dense number; 0 is the loop's
  std::uint32_t follows = kNone;  // begins where this other thread is, not before
  std::uint32_t producer = kNone;
  std::uint32_t first_op = 0;  // rows of TaskGraph::device
  std::uint32_t op_count = 0;
  std::uint32_t wait_on = kNone;  // a stream's number, or a row of TaskGraph::device
  std::uint32_t step = 0;         // row of TaskGraph::steps
  PhaseId phase = 0;
  PhaseId forward_phase = 0;  // phase of an autograd node's forward
  SiteId site = kNone;
  Direction direction = Direction::none;  // what the line's work is
  Cause cause = Cause::unknown;
  ApiKind api = ApiKind::other;
  WaitKind wait = WaitKind::none;
  bool reads = false;        // work of an operation that does nothing but read the device
  bool rejoins = false;      // `follows` sets the clock also back: of threads that follow the loop
  bool was_awaited = false;  // the loop waited for what it takes here: making_ns is as recorded
  bool takes = false;        // part of taking what a producer made: unpacking it, asking for more
  bool restarts = false;     // its producer begins anew here, at the end of the task
};

struct DeviceTask {
  DeviceOpId op = kNone;
  double ns = 0;
  double arrival_ns = 0;  // from the begin of its call until the device could begin it
  double gap_ns = 0;      // behind an op that it waited for
  std::uint64_t bytes = kUnknownBytes;
  std::uint32_t stream = 0;     // dense number
  std::uint32_t after = kNone;  // the op before it in its graph launch; then no other edge holds
  std::uint32_t first_awaited = 0;  // rows of TaskGraph::awaited
  std::uint32_t awaited_count = 0;
  PhaseId phase = 0;
  PhaseId forward_phase = 0;  // as its call's
  SiteId site = kNone;
  Direction direction = Direction::none;
  Cause cause = Cause::gpu_other;
  CopyKind copy = CopyKind::none;
  // Its end is part of the step's: as core/steps/windows.hpp, and issued for the loop's thread.
  bool extends_step = true;
  bool joins = false;  // puts several tensors into one: torch.cat and torch.stack
  bool dropped = false;
};

// Makes things for the loop's thread while that thread works: the workers of a loader, or a thread.
struct Producer {
  std::uint32_t workers = 1;  // thing i is made by worker i modulo this
  std::uint32_t depth = 0;    // so many are asked for and not yet taken; 0: no bound
  double making_ns = 0;       // a thing, where the loop did not wait for it
  double clocked_ns = 0;  // a thing, by its workers' clocks, without waits for a core; 0: not known
  double take_ns = 0;     // what taking one costs the loop, without waiting
  double computes = 0;    // share of making that is spent on a core, 0..1
  // Factors for the shortest and the longest that making may take: clocks do not show how long a
  // worker would wait for a core if the loop were faster; without clocks it is not known at all.
  double shortest = 1, longest = 1;
};

struct SampledStep {
  std::uint32_t row = 0;          // row of Steps::list
  double stands_for = 1;          // so many steps of its time
  std::uint32_t end_task = 0;     // behind its last host task
  double measured_ns = 0;         // its window
  bool follows_on = false;        // the step before it is sampled, too
  std::uint32_t asks_loader = 0;  // so many batches a loader without workers makes in it
  bool begins_loader = false;     // such a loader begins anew in it
};

struct TaskGraph {
  std::vector<HostTask> host;
  std::vector<DeviceTask> device;
  std::vector<std::uint32_t> awaited;  // rows of device: ops that events make others wait for
  std::vector<SampledStep> steps;
  std::uint32_t threads = 1;
  std::uint32_t streams = 0;
  std::vector<Producer> producers;
  std::uint32_t cores = 0;  // cores that the process may use; 0: not known
  // Share of its time awake in which the loop's thread had a core.
  double on_core = 1;
  std::uint64_t queue_depth = 0;     // launches outstanding at which a call blocks
  double latency_ns = 0;             // L of docs/design.md: from a call's end to its kernel's begin
  double dispatch_ns = 0;            // D: between two ops that were both ready
  double launch_call_ns = 0;         // a typical launch call
  double copy_call_ns = 0;           // a typical call of an asynchronous copy
  std::uint64_t inferred_edges = 0;  // waits between streams known by times alone

  std::span<const std::uint32_t> awaited_by(const DeviceTask& task) const {
    return std::span(awaited).subspan(task.first_awaited, task.awaited_count);
  }
  std::span<DeviceTask> ops_of(const HostTask& task) {
    return std::span(device).subspan(task.first_op, task.op_count);
  }
  std::span<const DeviceTask> ops_of(const HostTask& task) const {
    return std::span(device).subspan(task.first_op, task.op_count);
  }
};

}  // namespace stepscope
