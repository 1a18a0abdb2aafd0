// SPDX-License-Identifier: Apache-2.0
#include "core/steps/activity.hpp"

#include <algorithm>
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

bool belongs(const Trace& trace, ThreadId thread, ProcessId process) {
  return trace.data().threads[thread].process == process;
}

void add_device_ops(Activity& activity) {
  const Trace& trace = *activity.trace;
  const DeviceOps& ops = trace.device_ops();
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (trace.data().streams[ops.stream[op]].process != activity.process) continue;
    const CallId call = trace.launch_of(op);
    const std::int64_t time =
        call == kNone ? ops.begin[op] : trace.host_ranges().begin[trace.calls().range[call]];
    activity.work.push_back({time, ops.name[op], ops.stream[op]});
  }
}

// Ops inside ops say nothing that the outermost does not. Parents stand before their children.
void add_top_ops(Activity& activity, const std::vector<Rows>& threads) {
  const HostRanges& h = activity.trace->host_ranges();
  std::vector<bool> inside(h.size(), false);
  for (const Rows& rows : threads) {
    for (RangeId i = rows.begin; i < rows.end; ++i) {
      const bool is_op = family_of(h.kind[i]) == HostFamily::op;
      const bool nested = h.parent[i] != kNone && inside[h.parent[i]];
      inside[i] = nested || is_op;
      if (is_op && !nested) activity.work.push_back({h.begin[i], h.name[i], h.thread[i]});
    }
  }
}

void add_launch_calls(Activity& activity) {
  const Trace& trace = *activity.trace;
  const HostRanges& h = trace.host_ranges();
  const Calls& calls = trace.calls();
  for (CallId call = 0; call < calls.size(); ++call) {
    const RangeId range = calls.range[call];
    if (!is_launch(calls.api[call]) || !belongs(trace, h.thread[range], activity.process)) continue;
    activity.work.push_back({h.begin[range], h.name[range], h.thread[range]});
  }
}

void add_annotations(Activity& activity) {
  const HostRanges& h = activity.trace->host_ranges();
  for (RangeId i : activity.annotations)
    activity.work.push_back({h.begin[i], h.name[i], h.thread[i]});
}

void add_python_calls(Activity& activity, const std::vector<Rows>& threads) {
  const HostRanges& h = activity.trace->host_ranges();
  for (const Rows& rows : threads) {
    for (RangeId i = rows.begin; i < rows.end; ++i) {
      if (h.kind[i] != HostKind::python_function) continue;
      activity.work.push_back({h.begin[i], h.name[i], h.thread[i]});
    }
  }
}

void find_work(Activity& activity, const std::vector<Rows>& threads) {
  const auto settled = [&activity](WorkKind kind) {
    if (activity.work.empty()) return false;
    activity.work_kind = kind;
    return true;
  };
  add_device_ops(activity);
  if (settled(WorkKind::device_ops)) return;
  add_top_ops(activity, threads);
  if (settled(WorkKind::ops)) return;
  add_launch_calls(activity);
  if (settled(WorkKind::launch_calls)) return;
  add_annotations(activity);
  if (settled(WorkKind::annotations)) return;
  add_python_calls(activity, threads);
  settled(WorkKind::python_calls);
}

// Recorded as nodes by our own collector, as ops with this name by torch.profiler.
void find_backward(Activity& activity, const std::vector<Rows>& threads) {
  const HostRanges& h = activity.trace->host_ranges();
  std::vector<bool> is_node(activity.trace->data().strings.size(), false);
  for (StringId name = 0; name < is_node.size(); ++name) {
    is_node[name] = activity.trace->text(name).starts_with("autograd::engine::evaluate_function");
  }
  for (const Rows& rows : threads) {
    for (RangeId i = rows.begin; i < rows.end; ++i) {
      const bool node = h.kind[i] == HostKind::backward_node || is_node[h.name[i]];
      if (node) activity.backward.push_back(h.begin[i]);
    }
  }
  std::sort(activity.backward.begin(), activity.backward.end());
}

void widen(Interval& extent, Interval by, bool& any) {
  extent = any ? Interval{std::min(extent.begin, by.begin), std::max(extent.end, by.end)} : by;
  any = true;
}

Interval extent_of_rows(const HostRanges& h, Rows rows) {
  if (rows.size() == 0) return {};
  Interval extent{h.begin[rows.begin], h.end[rows.begin]};
  for (RangeId i = rows.begin; i < rows.end; ++i) extent.end = std::max(extent.end, h.end[i]);
  return extent;
}

Interval device_extent(const Trace& trace, ProcessId process) {
  const DeviceOps& ops = trace.device_ops();
  Interval extent;
  bool any = false;
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (trace.data().streams[ops.stream[op]].process != process) continue;
    widen(extent, {ops.begin[op], ops.end[op]}, any);
  }
  return extent;
}

// Those with a host range whose name begins so.
std::vector<bool> processes_with(const Trace& trace, std::string_view prefix) {
  const HostRanges& h = trace.host_ranges();
  std::vector<bool> named(trace.data().strings.size(), false);
  for (StringId name = 0; name < named.size(); ++name)
    named[name] = trace.text(name).starts_with(prefix);
  std::vector<bool> out(trace.data().processes.size(), false);
  for (RangeId i = 0; i < h.size(); ++i) {
    if (named[h.name[i]]) out[trace.data().threads[h.thread[i]].process] = true;
  }
  return out;
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

// Workers of a DataLoader in a process of this trace: they make batches, and the loop is their
// parent's.
std::vector<bool> loader_workers(const Trace& trace, const std::vector<ProcessId>& parents) {
  std::vector<bool> out(parents.size(), false);
  if (out.size() < 2) return out;
  const std::vector<bool> fetches = processes_with(trace, "enumerate(DataLoader)");
  for (ProcessId p = 0; p < out.size(); ++p)
    out[p] = parents[p] != kNone && fetches[parents[p]] && trace.data().processes[p].rank < 0;
  return out;
}

}  // namespace

std::string_view noun_of(WorkKind kind) {
  switch (kind) {
    case WorkKind::device_ops:
    case WorkKind::launch_calls:
      return "launches";
    case WorkKind::ops:
      return "ops";
    case WorkKind::annotations:
      return "annotations";
    case WorkKind::python_calls:
      return "Python calls";
    case WorkKind::none:
      break;
  }
  return "events";
}

Interval Activity::time(RangeId range) const {
  return {trace->host_ranges().begin[range], trace->host_ranges().end[range]};
}

std::span<const WorkItem> Activity::work_in(Interval time) const {
  const auto before = [](const WorkItem& item, std::int64_t t) { return item.time < t; };
  const auto first = std::lower_bound(work.begin(), work.end(), time.begin, before);
  const auto last = std::lower_bound(first, work.end(), std::max(time.begin, time.end), before);
  return {first, last};
}

std::size_t Activity::backward_in(Interval time) const {
  const auto first = std::lower_bound(backward.begin(), backward.end(), time.begin);
  return static_cast<std::size_t>(
      std::lower_bound(first, backward.end(), std::max(time.begin, time.end)) - first);
}

double Activity::share_in(Interval time) const {
  return share_in({&time, 1});
}

double Activity::share_in(std::span<const Interval> disjoint) const {
  const bool by_work = !work.empty() && work_kind != WorkKind::annotations;
  double inside = 0;
  for (const Interval& i : disjoint) {
    inside += static_cast<double>(by_work ? static_cast<std::int64_t>(work_in(i).size())
                                          : intersect(i, host).length());
  }
  const double all =
      by_work ? static_cast<double>(work.size()) : static_cast<double>(host.length());
  return all > 0 ? inside / all : 0;
}

Activity survey(const Trace& trace, ProcessId process) {
  Activity activity{.trace = &trace, .process = process};
  const HostRanges& h = trace.host_ranges();
  const IntervalSet gaps = capture_gaps(trace, process);
  std::vector<Rows> threads;
  bool any = false;
  for (ThreadId thread = 0; thread < trace.data().threads.size(); ++thread) {
    const Rows rows = trace.ranges_of(thread);
    if (!belongs(trace, thread, process) || rows.size() == 0) continue;
    threads.push_back(rows);
    widen(activity.host, extent_of_rows(h, rows), any);
    for (RangeId i = rows.begin; i < rows.end; ++i) {
      if (!is_annotation(h.kind[i]) || is_inside(gaps, h.begin[i])) continue;
      const std::string_view name = trace.text(h.name[i]);
      if (!is_xla_range(name)) activity.annotations.push_back(i);
      if (!xla_executable(name).empty()) activity.xla_runs.push_back(i);
    }
  }
  if (!any) activity.host = device_extent(trace, process);
  take_open_marks(activity);
  find_work(activity, threads);
  find_backward(activity, threads);
  std::erase_if(activity.work,
                [&gaps](const WorkItem& item) { return is_inside(gaps, item.time); });
  const auto earlier = [](const WorkItem& a, const WorkItem& b) { return a.time < b.time; };
  if (!std::is_sorted(activity.work.begin(), activity.work.end(), earlier)) {
    std::stable_sort(activity.work.begin(), activity.work.end(), earlier);
  }
  return activity;
}

Activity clipped(const Activity& activity, Interval time) {
  Activity out{.trace = activity.trace,
               .process = activity.process,
               .host = intersect(activity.host, time),
               .work_kind = activity.work_kind};
  const auto begins_in = [&](RangeId range) { return time.contains(activity.time(range).begin); };
  std::copy_if(activity.annotations.begin(), activity.annotations.end(),
               std::back_inserter(out.annotations), begins_in);
  std::copy_if(activity.xla_runs.begin(), activity.xla_runs.end(), std::back_inserter(out.xla_runs),
               begins_in);
  const auto work = activity.work_in(time);
  out.work.assign(work.begin(), work.end());
  const auto first =
      std::lower_bound(activity.backward.begin(), activity.backward.end(), time.begin);
  out.backward.assign(first, first + static_cast<std::ptrdiff_t>(activity.backward_in(time)));
  return out;
}

Interval extent_of(const Trace& trace, ThreadId thread) {
  return extent_of_rows(trace.host_ranges(), trace.ranges_of(thread));
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
  const std::vector<bool> worker = loader_workers(trace, parents);
  std::vector<ProcessId> order;
  for (ProcessId p = 0; p < data.processes.size(); ++p) {
    if (device_ops[p] + ranges[p] > 0) order.push_back(p);
  }
  const auto key = [&](ProcessId p) {
    const std::int32_t rank = data.processes[p].rank;
    return std::tuple(bool{worker[p]}, rank < 0 ? kNoRank : rank, parents[p] != kNone,
                      -static_cast<std::int64_t>(device_ops[p]),
                      -static_cast<std::int64_t>(ranges[p]));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&key](ProcessId a, ProcessId b) { return key(a) < key(b); });
  return order;
}

}  // namespace stepscope
