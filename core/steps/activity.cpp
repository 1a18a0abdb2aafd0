// SPDX-License-Identifier: Apache-2.0
#include "core/steps/activity.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>

#include "core/steps/capture_gaps.hpp"
#include "core/steps/open_marks.hpp"
#include "core/steps/xla_ranges.hpp"

namespace stepscope {
namespace {

constexpr std::int32_t kNoRank = std::numeric_limits<std::int32_t>::max();

// The driver moves a page of managed memory when somebody touches it: no loop asks for that.
bool is_migration(const DeviceOps& ops, DeviceOpId op) {
  return ops.kind[op] == DeviceOpKind::memcpy && ops.source_memory[op] == MemoryKind::managed &&
         ops.target_memory[op] == MemoryKind::managed;
}

void add_device_ops(Activity& activity) {
  const Trace& trace = *activity.trace;
  const DeviceOps& ops = trace.device_ops();
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (trace.data().streams[ops.stream[op]].process != activity.process) continue;
    const CallId call = trace.launch_of(op);
    if (call == kNone && is_migration(ops, op)) continue;
    const SiteId site =
        call == kNone ? SiteId{kNone} : trace.host_ranges().site[trace.calls().range[call]];
    activity.work.push_back({host_time_of(trace, op), ops.name[op], ops.stream[op], site});
  }
}

// Returns which ranges are of that kind of work.
std::vector<bool> ranges_of_work(const Activity& activity, WorkKind kind) {
  const Trace& trace = *activity.trace;
  const HostRanges& h = trace.host_ranges();
  std::vector<bool> out(h.size(), false);
  if (kind == WorkKind::launch_calls) {
    const Calls& calls = trace.calls();
    for (CallId call = 0; call < calls.size(); ++call)
      out[calls.range[call]] = is_launch(calls.api[call]);
  } else if (kind == WorkKind::annotations) {
    for (const RangeId range : activity.annotations) out[range] = true;
  } else {
    for (RangeId i = 0; i < h.size(); ++i)
      out[i] = kind == WorkKind::ops ? family_of(h.kind[i]) == HostFamily::op
                                     : h.kind[i] == HostKind::python_function;
  }
  return out;
}

// Ops inside ops say nothing that the outermost does not. Parents stand before their children.
void keep_outermost(const HostRanges& h, std::vector<bool>& ranges) {
  std::vector<bool> inside = ranges;
  for (RangeId i = 0; i < h.size(); ++i) {
    if (h.parent[i] == kNone || !inside[h.parent[i]]) continue;
    inside[i] = true;
    ranges[i] = false;
  }
}

void find_work(Activity& activity, const std::vector<Rows>& threads) {
  const HostRanges& h = activity.trace->host_ranges();
  add_device_ops(activity);
  if (!activity.work.empty()) activity.work_kind = WorkKind::device_ops;
  for (const WorkKind kind :
       {WorkKind::ops, WorkKind::launch_calls, WorkKind::annotations, WorkKind::python_calls}) {
    if (!activity.work.empty()) return;
    std::vector<bool> is_work = ranges_of_work(activity, kind);
    if (kind == WorkKind::ops) keep_outermost(h, is_work);
    for (const Rows& rows : threads)
      for (RangeId i = rows.begin; i < rows.end; ++i)
        if (is_work[i]) activity.work.push_back({h.begin[i], h.name[i], h.thread[i], h.site[i]});
    if (!activity.work.empty()) activity.work_kind = kind;
  }
}

void find_backward(Activity& activity, const std::vector<Rows>& threads) {
  for (const Rows& rows : threads)
    for (RangeId i = rows.begin; i < rows.end; ++i)
      if (activity.is_backward(i)) activity.backward.push_back(activity.time(i).begin);
  std::sort(activity.backward.begin(), activity.backward.end());
}

Interval hull_of(Interval a, Interval b) {
  if (a.empty()) return b;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Returns, by process, the process of this trace that started it; kNone where none did.
std::vector<ProcessId> parents_of(const std::vector<Process>& processes) {
  std::vector<ProcessId> out(processes.size(), kNone);
  for (ProcessId p = 0; p < out.size(); ++p) {
    const auto parent = processes[p].facts.find("parent_pid");
    if (parent == processes[p].facts.end()) continue;
    for (ProcessId q = 0; q < out.size(); ++q) {
      const bool same_host = processes[q].host == processes[p].host;
      if (same_host && std::to_string(processes[q].pid) == parent->second) out[p] = q;
    }
  }
  return out;
}

}  // namespace

std::string_view noun_of(WorkKind kind, std::size_t count) {
  static constexpr std::array<std::string_view, 6> kOne = {"event",  "launch",     "op",
                                                           "launch", "annotation", "Python call"};
  static constexpr std::array<std::string_view, 6> kMany = {
      "events", "launches", "ops", "launches", "annotations", "Python calls"};
  return (count == 1 ? kOne : kMany)[static_cast<std::size_t>(kind)];
}

Interval Activity::time(RangeId range) const {
  return {trace->host_ranges().begin[range], trace->host_ranges().end[range]};
}

std::span<const WorkItem> items_in(std::span<const WorkItem> sorted, Interval time) {
  const auto before = [](const WorkItem& item, std::int64_t t) { return item.time < t; };
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), time.begin, before);
  const auto last = std::lower_bound(first, sorted.end(), std::max(time.begin, time.end), before);
  return {first, last};
}

// Recorded as nodes by our own collector, as ops with this name by torch.profiler.
bool Activity::is_backward(RangeId range) const {
  return trace->host_ranges().kind[range] == HostKind::backward_node ||
         name(range).starts_with("autograd::engine::evaluate_function");
}

std::size_t Activity::backward_in(Interval time) const {
  const auto first = std::lower_bound(backward.begin(), backward.end(), time.begin);
  return static_cast<std::size_t>(
      std::lower_bound(first, backward.end(), std::max(time.begin, time.end)) - first);
}

double Activity::share_in(std::span<const Interval> disjoint) const {
  const bool by_work = !work.empty() && work_kind != WorkKind::annotations;
  std::int64_t inside = 0;
  for (const Interval& i : disjoint)
    inside += by_work ? std::ssize(work_in(i)) : intersect(i, host).length();
  const std::int64_t all = by_work ? std::ssize(work) : host.length();
  return all > 0 ? static_cast<double>(inside) / static_cast<double>(all) : 0;
}

Activity survey(const Trace& trace, ProcessId process) {
  Activity activity{.trace = &trace, .process = process};
  const HostRanges& h = trace.host_ranges();
  const IntervalSet gaps = capture_gaps(trace, process);
  std::vector<Rows> threads;
  for (ThreadId thread = 0; thread < trace.data().threads.size(); ++thread) {
    const Rows rows = trace.ranges_of(thread);
    if (trace.data().threads[thread].process != process || rows.size() == 0) continue;
    threads.push_back(rows);
    activity.host = hull_of(activity.host, extent_of(trace, thread));
    for (RangeId i = rows.begin; i < rows.end; ++i) {
      if (!is_annotation(h.kind[i]) || is_inside(gaps, h.begin[i])) continue;
      const std::string_view name = trace.text(h.name[i]);
      if (!is_xla_range(name)) activity.annotations.push_back(i);
      if (!xla_executable(name).empty()) activity.xla_runs.push_back(i);
    }
  }
  if (threads.empty()) activity.host = device_extent(trace, process);
  take_open_marks(activity);
  find_work(activity, threads);
  find_backward(activity, threads);
  std::erase_if(activity.work,
                [&gaps](const WorkItem& item) { return is_inside(gaps, item.time); });
  std::stable_sort(activity.work.begin(), activity.work.end(),
                   [](const WorkItem& a, const WorkItem& b) { return a.time < b.time; });
  return activity;
}

Activity clipped(const Activity& activity, Interval time) {
  Activity out{.trace = activity.trace,
               .process = activity.process,
               .host = intersect(activity.host, time),
               .work_kind = activity.work_kind};
  const auto begins_in = [&](RangeId range) { return time.contains(activity.time(range).begin); };
  std::ranges::copy_if(activity.annotations, std::back_inserter(out.annotations), begins_in);
  std::ranges::copy_if(activity.xla_runs, std::back_inserter(out.xla_runs), begins_in);
  const auto work = activity.work_in(time);
  out.work.assign(work.begin(), work.end());
  const auto first =
      std::lower_bound(activity.backward.begin(), activity.backward.end(), time.begin);
  out.backward.assign(first, first + static_cast<std::ptrdiff_t>(activity.backward_in(time)));
  return out;
}

Interval device_extent(const Trace& trace, ProcessId process) {
  const DeviceOps& ops = trace.device_ops();
  Interval extent;
  for (DeviceOpId op = 0; op < ops.size(); ++op)
    if (trace.data().streams[ops.stream[op]].process == process)
      extent = hull_of(extent, {ops.begin[op], ops.end[op]});
  return extent;
}

std::int64_t host_time_of(const Trace& trace, DeviceOpId op) {
  const CallId call = trace.launch_of(op);
  return call == kNone ? trace.device_ops().begin[op]
                       : trace.host_ranges().begin[trace.calls().range[call]];
}

ThreadId busiest_thread(const Trace& trace, ProcessId process) {
  return busiest_thread(trace, process, [](ThreadId) { return true; });
}

std::int64_t last_end_of(const Trace& trace, ThreadId thread, Interval begins) {
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(thread);
  const auto first = h.begin.begin() + rows.begin, last = h.begin.begin() + rows.end;
  std::int64_t end = begins.begin;
  for (auto at = std::lower_bound(first, last, begins.begin); at != last && *at < begins.end; ++at)
    end = std::max(end, h.end[static_cast<std::size_t>(at - h.begin.begin())]);
  return end;
}

Interval extent_of(const Trace& trace, ThreadId thread) {
  const HostRanges& h = trace.host_ranges();
  const Rows rows = trace.ranges_of(thread);
  if (rows.size() == 0) return {};
  const auto first = h.end.begin() + rows.begin, last = h.end.begin() + rows.end;
  return {h.begin[rows.begin], *std::max_element(first, last)};
}

std::vector<ProcessId> training_processes(const Trace& trace) {
  const TraceData& data = trace.data();
  std::vector<std::uint64_t> device_ops(data.processes.size(), 0);
  std::vector<std::uint64_t> ranges(data.processes.size(), 0);
  for (StreamId s = 0; s < data.streams.size(); ++s) {
    device_ops[data.streams[s].process] += trace.ops_of(s).size();
  }
  for (ThreadId t = 0; t < data.threads.size(); ++t) {
    ranges[data.threads[t].process] += trace.ranges_of(t).size();
  }
  const std::vector<ProcessId> parents = parents_of(data.processes);
  std::vector<ProcessId> order;
  for (ProcessId p = 0; p < data.processes.size(); ++p) {
    if (device_ops[p] + ranges[p] > 0) order.push_back(p);
  }
  const auto key = [&](ProcessId p) {
    const std::int32_t rank = data.processes[p].rank;
    return std::tuple(rank < 0 ? kNoRank : rank, parents[p] != kNone,
                      -static_cast<std::int64_t>(device_ops[p]),
                      -static_cast<std::int64_t>(ranges[p]));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&key](ProcessId a, ProcessId b) { return key(a) < key(b); });
  return order;
}

}  // namespace stepscope
