// SPDX-License-Identifier: Apache-2.0
// What one process did, as the step finders look at it: its annotations, and its work as one
// sequence of tokens. A work item is the smallest unit that repeats when a loop repeats: a device
// op at the time of its launch; on a run without a device a top-level framework op; without those
// whatever else was recorded. Invariant: work is sorted by time; equal tokens mean the same kind of
// work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "core/model/trace.hpp"
#include "core/support/interval.hpp"

namespace stepscope {

// In order of preference: the first of which the process has any is its work.
enum class WorkKind : std::uint8_t {
  none,
  device_ops,
  ops,
  launch_calls,
  annotations,
  python_calls
};
std::string_view noun_of(WorkKind kind, std::size_t count = 2);  // "launches", "ops", ...

struct WorkItem {
  std::int64_t time = 0;    // host time of the launch or begin
  std::uint32_t token = 0;  // StringId of the name
  std::uint32_t lane = 0;   // StreamId of device ops, else ThreadId
  SiteId site = kNone;      // the line of the launch or op, where it is known
};

std::span<const WorkItem> items_in(std::span<const WorkItem> sorted, Interval time);

struct Activity {
  const Trace* trace = nullptr;
  ProcessId process = 0;
  Interval host;  // from the first to the last of its host ranges (device ops where it has none)
  // User scopes and NVTX ranges, by (thread, begin), but for those of XLA (xla_ranges.hpp).
  std::vector<RangeId> annotations;
  std::vector<RangeId> open_marks;  // marks of steps without an end (open_marks.hpp)
  std::vector<RangeId> xla_runs;    // runs of executables
  WorkKind work_kind = WorkKind::none;
  std::vector<WorkItem> work;
  std::vector<std::int64_t>
      backward;  // begins of autograd nodes, sorted; empty where none is recorded

  std::string_view name(RangeId range) const {
    return trace->text(trace->host_ranges().name[range]);
  }
  Interval time(RangeId range) const;
  ThreadId thread(RangeId range) const { return trace->host_ranges().thread[range]; }
  // The annotations of such names.
  template <class Is>
  std::vector<RangeId> annotations_that(Is is) const {
    std::vector<RangeId> out;
    std::copy_if(annotations.begin(), annotations.end(), std::back_inserter(out),
                 [&](RangeId range) { return is(name(range)); });
    return out;
  }
  std::span<const WorkItem> work_in(Interval time) const { return items_in(work, time); }
  bool is_backward(RangeId range) const;
  std::size_t backward_in(Interval time) const;
  // 0..1 of the work; of time where no work was recorded.
  double share_in(Interval time) const { return share_in({&time, 1}); }
  double share_in(std::span<const Interval> disjoint) const;
};

Activity survey(const Trace& trace, ProcessId process);

// The same activity as far as it begins within `time`.
Activity clipped(const Activity& activity, Interval time);

// The begin of the call that launched the op; the op's own where no launch was recorded.
std::int64_t host_time_of(const Trace& trace, DeviceOpId op);

Interval device_extent(const Trace& trace, ProcessId process);
// First begin and last end of the ranges of one thread; empty for a thread without ranges.
Interval extent_of(const Trace& trace, ThreadId thread);
// The last end of the thread's records that begin in that time; its begin where none does.
std::int64_t last_end_of(const Trace& trace, ThreadId thread, Interval begins);
// The process's thread with the most ranges among those that pass; kNone where none does.
template <class Passes>
ThreadId busiest_thread(const Trace& trace, ProcessId process, Passes passes) {
  ThreadId busiest = kNone;
  for (ThreadId t = 0; t < trace.data().threads.size(); ++t) {
    if (trace.data().threads[t].process != process || !passes(t)) continue;
    if (busiest == kNone || trace.ranges_of(t).size() > trace.ranges_of(busiest).size())
      busiest = t;
  }
  return busiest;
}
// Returns the thread that a loop without marks is taken to run on. A process of which only the device's work was
// recorded has a thread, too (Trace::build).
ThreadId busiest_thread(const Trace& trace, ProcessId process);

// Processes with events, the likeliest owner of the training loop first: by the lowest rank, a program
// before the processes that it started (workers of its DataLoader), the most device ops, the most
// host ranges.
std::vector<ProcessId> training_processes(const Trace& trace);

}  // namespace stepscope
