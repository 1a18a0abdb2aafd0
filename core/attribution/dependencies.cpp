// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/dependencies.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace stepscope {
namespace {

bool waits_in_call(ApiKind api) {
  return is_sync(api) || api == ApiKind::memcpy_blocking || api == ApiKind::memcpy_async ||
         api == ApiKind::memset_blocking;
}

std::vector<DeviceOpId> ops_of(const Trace& trace, ProcessId process) {
  std::vector<DeviceOpId> ops;
  for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) {
    if (trace.data().streams[trace.device_ops().stream[op]].process == process) ops.push_back(op);
  }
  return ops;
}

std::vector<DeviceOpId> before_in_streams(const Trace& trace) {
  std::vector<DeviceOpId> before(trace.device_ops().size(), kNone);
  for (StreamId stream = 0; stream < trace.data().streams.size(); ++stream) {
    DeviceOpId previous = kNone;
    for (DeviceOpId op : trace.ops_of(stream)) before[op] = std::exchange(previous, op);
  }
  return before;
}

}  // namespace

Dependencies::Dependencies(const Trace& trace, ProcessId process)
    : trace_(trace),
      process_(process),
      ops_(ops_of(trace, process)),
      by_end_(ops_),
      before_in_stream_(before_in_streams(trace)),
      launches_(trace, process, ops_, before_in_stream_) {
  edges_.launch_latency_ns = launches_.latency_ns();
  edges_.queue_depth = launches_.queue_depth();
  const auto& end = trace.device_ops().end;
  std::stable_sort(by_end_.begin(), by_end_.end(),
                   [&end](DeviceOpId a, DeviceOpId b) { return end[a] < end[b]; });
  list_issue_times();
  link_graphs();
  link_events();
}

void Dependencies::list_issue_times() {
  issued_.resize(trace_.data().streams.size());
  for (StreamId stream = 0; stream < issued_.size(); ++stream) {
    std::int64_t issued = std::numeric_limits<std::int64_t>::min();
    for (DeviceOpId op : trace_.ops_of(stream)) {
      const CallId call = trace_.launch_of(op);
      if (call != kNone)
        issued = std::max(issued, trace_.host_ranges().begin[trace_.calls().range[call]]);
      issued_[stream].push_back(issued);
    }
  }
}

// Links each op to the last op of its graph launch that ended before it began, on any stream. Among
// ops of no length at one moment, only a later row awaits an earlier one, so that no two await each
// other.
void Dependencies::link_graphs() {
  const DeviceOps& d = trace_.device_ops();
  for (CallId call = 0; call < trace_.calls().size(); ++call) {
    const auto by_begin = trace_.ops_launched_by(call);
    if (by_begin.size() < 2) continue;
    std::vector<DeviceOpId> by_end(by_begin.begin(), by_begin.end());
    std::sort(by_end.begin(), by_end.end(), [&d](DeviceOpId a, DeviceOpId b) {
      return std::pair(d.end[a], a) < std::pair(d.end[b], b);
    });
    std::size_t ended = 0;
    for (DeviceOpId op : by_begin) {
      while (d.end[by_end[ended]] <= d.begin[op] && by_end[ended] < op) ++ended;
      if (ended > 0) before_in_graph_[op] = by_end[ended - 1];
    }
  }
}

// Streams run in issue order, so the running maximum of issue times is sorted and can be searched.
DeviceOpId Dependencies::last_in_stream_issued_before(StreamId stream, std::int64_t time) const {
  const std::vector<std::int64_t>& issued = issued_[stream];
  const auto after = std::lower_bound(issued.begin(), issued.end(), time);
  if (after == issued.begin()) return kNone;
  return trace_.ops_of(stream)[static_cast<std::size_t>(after - issued.begin()) - 1];
}

// Event handles are reused, so each wait joins the latest record of its handle in program order
// (the order in which the calls were made). Only calls that carry both handle and stream can be
// joined; the rest are counted and never used.
void Dependencies::link_events() {
  const Calls& c = trace_.calls();
  const HostRanges& h = trace_.host_ranges();
  std::vector<CallId> in_order;
  for (CallId call = 0; call < c.size(); ++call) {
    const bool relevant = c.api[call] == ApiKind::event_record ||
                          c.api[call] == ApiKind::stream_wait_event ||
                          c.api[call] == ApiKind::sync_event;
    const ThreadId thread = h.thread[c.range[call]];
    if (relevant && trace_.data().threads[thread].process == process_) in_order.push_back(call);
  }
  std::stable_sort(in_order.begin(), in_order.end(),
                   [&](CallId a, CallId b) { return h.begin[c.range[a]] < h.begin[c.range[b]]; });
  std::unordered_map<std::uint64_t, DeviceOpId>
      behind_event;  // handle -> last op before its record
  std::map<StreamId, std::vector<std::pair<std::int64_t, DeviceOpId>>>
      waits;  // stream -> (time, op)
  for (CallId call : in_order) {
    const std::int64_t time = h.begin[c.range[call]];
    if (c.event[call] == 0 || (c.stream[call] == kNone && c.api[call] != ApiKind::sync_event)) {
      if (c.api[call] == ApiKind::stream_wait_event) ++edges_.event_waits_inferred;
      continue;
    }
    if (c.api[call] == ApiKind::event_record) {
      behind_event[c.event[call]] = last_in_stream_issued_before(c.stream[call], time);
      continue;
    }
    const auto found = behind_event.find(c.event[call]);
    if (found == behind_event.end()) {
      ++edges_.unresolved_waits;
    } else if (c.api[call] == ApiKind::sync_event) {
      event_sync_target_[call] = found->second;
    } else {
      ++edges_.event_waits_exact;
      if (found->second != kNone) waits[c.stream[call]].emplace_back(time, found->second);
    }
  }
  // A wait holds back the first op that was issued to its stream after it; stream order does the
  // rest.
  for (const auto& [stream, list] : waits) {
    auto wait = list.begin();
    for (DeviceOpId op : trace_.ops_of(stream)) {
      const CallId launch = trace_.launch_of(op);
      if (launch == kNone) continue;
      const std::int64_t issued = h.begin[c.range[launch]];
      for (; wait != list.end() && wait->first < issued; ++wait) {
        if (wait->second < op) awaited_events_[op].push_back(wait->second);
      }
    }
  }
}

Readiness Dependencies::readiness(DeviceOpId op) const {
  const DeviceOps& d = trace_.device_ops();
  Readiness best;
  const auto offer = [&](Binding binding, std::int64_t time, CallId launch,
                         DeviceOpId predecessor) {
    // The latest to let the op begin binds: after a predecessor comes the device's own dispatch.
    const auto begin = [&](Binding b, std::int64_t t) {
      return b == Binding::launch ? t : std::min(t + launches_.dispatch_ns(), d.begin[op]);
    };
    if (best.binding == Binding::none || begin(binding, time) > begin(best.binding, best.time))
      best = {binding, time, launch, predecessor};
  };
  const CallId launch = trace_.launch_of(op);
  if (launch != kNone)
    offer(Binding::launch, launches_.issue_time(op) + launches_.latency_ns(), launch, kNone);
  const DeviceOpId before = before_in_stream_[op];
  const auto in_graph = before_in_graph_.find(op);
  if (in_graph != before_in_graph_.end()) {
    return {Binding::graph, d.end[in_graph->second], kNone, in_graph->second};
  }
  if (before != kNone) offer(Binding::stream, d.end[before], kNone, before);
  const auto awaited = awaited_events_.find(op);
  if (awaited != awaited_events_.end()) {
    for (DeviceOpId other : awaited->second) offer(Binding::event, d.end[other], kNone, other);
  }
  return best;
}

DeviceOpId Dependencies::awaited_ending_in(Interval call, StreamId stream) const {
  const DeviceOps& d = trace_.device_ops();
  auto at = std::upper_bound(by_end_.begin(), by_end_.end(), call.end,
                             [&d](std::int64_t t, DeviceOpId op) { return t < d.end[op]; });
  while (at != by_end_.begin()) {
    const DeviceOpId op = *--at;
    if (d.end[op] < call.begin) return kNone;
    if (stream == kNone || d.stream[op] == stream) return op;
  }
  return kNone;
}

DeviceOpId Dependencies::awaited_by(CallId call) const {
  const Calls& c = trace_.calls();
  const RangeId range = c.range[call];
  const Interval time{trace_.host_ranges().begin[range], trace_.host_ranges().end[range]};
  if (!waits_in_call(c.api[call])) return kNone;
  if (!is_sync(c.api[call])) {  // a copy or set: it can only have waited for its own op
    for (DeviceOpId op : trace_.ops_launched_by(call)) {
      if (trace_.device_ops().end[op] <= time.end) return op;
    }
    return kNone;
  }
  const auto target = event_sync_target_.find(call);
  if (target != event_sync_target_.end()) {
    const bool waited =
        target->second != kNone && trace_.device_ops().end[target->second] > time.begin;
    return waited ? target->second : kNone;
  }
  return awaited_ending_in(time, c.api[call] == ApiKind::sync_stream ? c.stream[call] : kNone);
}

DeviceOpId Dependencies::before_in_graph(DeviceOpId op) const {
  const auto found = before_in_graph_.find(op);
  return found == before_in_graph_.end() ? kNone : found->second;
}

std::span<const DeviceOpId> Dependencies::awaited_by_events(DeviceOpId op) const {
  const auto found = awaited_events_.find(op);
  if (found == awaited_events_.end()) return {};
  return found->second;
}

DeviceOpId Dependencies::event_target(CallId call) const {
  const auto found = event_sync_target_.find(call);
  return found == event_sync_target_.end() ? kNone : found->second;
}

DeviceOpId Dependencies::running_at(std::int64_t time) const {
  const DeviceOps& d = trace_.device_ops();
  for (auto op = by_end_.rbegin(); op != by_end_.rend() && d.end[*op] > time; ++op) {
    if (d.begin[*op] <= time) return *op;
  }
  return kNone;
}

bool Dependencies::queued_behind(DeviceOpId op, std::int64_t time) const {
  const CallId call = trace_.launch_of(op);
  if (call == kNone) return false;
  return trace_.host_ranges().end[trace_.calls().range[call]] <= time;
}

}  // namespace stepscope
