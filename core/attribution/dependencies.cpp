// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/dependencies.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

#include "core/steps/capture_gaps.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

// The queue of launches holds about 1,020 entries on current drivers; a long call with fewer
// outstanding than this was not waiting for a slot.
constexpr std::uint64_t kSmallestQueue = 512;
// One blocked call is proof where the ceiling is what drivers are known to have; else several must
// agree.
constexpr std::uint64_t kUsualQueue = 900;
constexpr std::int64_t kFewestBlockedCalls = 3;
// A launch call is long where it takes this many times the typical one and at least kLongCallNs.
constexpr std::int64_t kLongFactor = 8;
constexpr std::int64_t kLongCallNs = 20'000;
// A longer gap between two ops is no dispatch (see DispatchGap::kLimitNs).
constexpr std::int64_t kLongDispatchNs = 10'000;
constexpr std::int64_t kUsualDispatchNs = 1'000;  // where a trace has no op that was ready before

bool waits_in_call(ApiKind api) {
  return is_sync(api) || api == ApiKind::memcpy_blocking || api == ApiKind::memcpy_async ||
         api == ApiKind::memset_blocking;
}

}  // namespace

Dependencies::Dependencies(const Trace& trace, ProcessId process)
    : trace_(trace),
      process_(process),
      blocked_(trace.calls().size(), false),
      loads_its_kernel_(blocked_) {
  for (DeviceOpId op = 0; op < trace.device_ops().size(); ++op) {
    if (trace.data().streams[trace.device_ops().stream[op]].process == process) ops_.push_back(op);
  }
  by_end_ = ops_;
  const auto& end = trace.device_ops().end;
  std::stable_sort(by_end_.begin(), by_end_.end(),
                   [&end](DeviceOpId a, DeviceOpId b) { return end[a] < end[b]; });
  link_streams();
  link_graphs();
  learn_launch_latency();
  learn_dispatch_time();
  learn_queue_depth();
  find_loading_launches();
  link_events();
}

void Dependencies::link_streams() {
  before_in_stream_.assign(trace_.device_ops().size(), kNone);
  issued_.resize(trace_.data().streams.size());
  for (StreamId stream = 0; stream < issued_.size(); ++stream) {
    DeviceOpId previous = kNone;
    std::int64_t issued = std::numeric_limits<std::int64_t>::min();
    for (DeviceOpId op : trace_.ops_of(stream)) {
      before_in_stream_[op] = previous;
      previous = op;
      const CallId call = trace_.launch_of(op);
      if (call != kNone)
        issued = std::max(issued, trace_.host_ranges().begin[trace_.calls().range[call]]);
      issued_[stream].push_back(issued);
    }
  }
}

std::int64_t Dependencies::issue_time(DeviceOpId op) const {
  const CallId call = trace_.launch_of(op);
  if (call == kNone) return std::numeric_limits<std::int64_t>::min();
  const RangeId range = trace_.calls().range[call];
  const std::int64_t begin = trace_.host_ranges().begin[range];
  const std::int64_t returned =
      std::min(trace_.host_ranges().end[range], trace_.device_ops().begin[op]);
  const bool may_wait = trace_.device_ops().copy_kind[op] == CopyKind::device_to_host ||
                        trace_.calls().api[call] == ApiKind::memcpy_blocking;
  const bool waited_for_own_op =
      may_wait && trace_.device_ops().end[op] <= trace_.host_ranges().end[range];
  return waited_for_own_op ? std::min(begin + typical_launch_call_ns_, returned) : returned;
}

void Dependencies::find_loading_launches() {
  if (trace_.data().source != SourceKind::stepscope || ops_.empty()) return;
  const DeviceOps& d = trace_.device_ops();
  const IntervalSet gaps = capture_gaps(trace_, process_);
  if (!gaps.empty() && gaps.front().begin <= d.begin[ops_.front()]) return;
  std::unordered_map<StringId, CallId> first;
  const auto begin_of = [&](CallId call) {
    return trace_.host_ranges().begin[trace_.calls().range[call]];
  };
  for (DeviceOpId op : ops_) {
    const CallId call = trace_.launch_of(op);
    if (call == kNone || trace_.calls().api[call] != ApiKind::launch_kernel) continue;
    CallId& known = first.try_emplace(d.name[op], call).first->second;
    if (begin_of(call) < begin_of(known)) known = call;
  }
  for (const auto& [kernel, call] : first) loads_its_kernel_[call] = true;
}

// The last op of the same graph launch that ended before each began, whichever stream it ran in. Of
// ops without a length at one moment the earlier row comes first, so that no two await each other.
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

void Dependencies::learn_launch_latency() {
  const DeviceOps& d = trace_.device_ops();
  std::vector<std::int64_t> latencies;
  std::vector<std::int64_t> call_times;
  for (DeviceOpId op : ops_) {
    const CallId call = trace_.launch_of(op);
    if (call == kNone || trace_.calls().api[call] != ApiKind::launch_kernel) continue;
    const RangeId range = trace_.calls().range[call];
    const std::int64_t begin = trace_.host_ranges().begin[range];
    const std::int64_t end = trace_.host_ranges().end[range];
    call_times.push_back(end - begin);
    const DeviceOpId before = before_in_stream_[op];
    if (before == kNone || d.end[before] <= begin) latencies.push_back(d.begin[op] - end);
  }
  edges_.launch_latency_ns = std::max<std::int64_t>(0, median(std::move(latencies)));
  if (call_times.empty()) return;
  const auto middle = call_times.begin() + static_cast<std::ptrdiff_t>((call_times.size() - 1) / 2);
  std::nth_element(call_times.begin(), middle, call_times.end());
  typical_launch_call_ns_ =
      *middle;  // of few calls the shorter: one slow call must not look typical
}

// What the device takes from one op to the next that was ready before: a launch that arrives
// within that time was not what held the op back.
void Dependencies::learn_dispatch_time() {
  const DeviceOps& d = trace_.device_ops();
  std::vector<std::int64_t> gaps;
  for (DeviceOpId op : ops_) {
    const DeviceOpId before = before_in_stream_[op];
    if (before == kNone || trace_.launch_of(op) == kNone) continue;
    const std::int64_t gap = d.begin[op] - d.end[before];
    const std::int64_t ready = issue_time(op) + edges_.launch_latency_ns;
    if (gap > 0 && gap <= kLongDispatchNs && ready <= d.end[before]) gaps.push_back(gap);
  }
  dispatch_ns_ = gaps.empty() ? kUsualDispatchNs : median(std::move(gaps));
}

// Sweeps the launches in issue order with the number of ops issued and not yet ended.
void Dependencies::learn_queue_depth() {
  const DeviceOps& d = trace_.device_ops();
  const HostRanges& h = trace_.host_ranges();
  struct Launch {
    std::int64_t begin;
    CallId call;
    std::uint64_t outstanding;
  };
  std::vector<Launch> launches;
  std::vector<DeviceOpId> by_issue;
  for (DeviceOpId op : ops_) {
    if (trace_.launch_of(op) != kNone) by_issue.push_back(op);
  }
  const auto begin_of_launch = [&](DeviceOpId op) {
    return h.begin[trace_.calls().range[trace_.launch_of(op)]];
  };
  std::sort(by_issue.begin(), by_issue.end(),
            [&](DeviceOpId a, DeviceOpId b) { return begin_of_launch(a) < begin_of_launch(b); });
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> running;
  for (DeviceOpId op : by_issue) {
    const std::int64_t begin = begin_of_launch(op);
    while (!running.empty() && running.top() <= begin) running.pop();
    launches.push_back({begin, trace_.launch_of(op), running.size()});
    running.push(d.end[op]);
  }
  const auto is_long = [&](const Launch& l) {
    const std::int64_t took = h.end[trace_.calls().range[l.call]] - l.begin;
    return took >= kLongCallNs && took >= kLongFactor * typical_launch_call_ns_;
  };
  // A full queue is a ceiling: several calls blocked just below the most that was ever outstanding.
  std::uint64_t ceiling = 0;
  for (const Launch& l : launches) ceiling = std::max(ceiling, l.outstanding);
  const auto at_ceiling = [&](const Launch& l) { return l.outstanding + ceiling / 64 >= ceiling; };
  const auto blocked = std::count_if(launches.begin(), launches.end(),
                                     [&](const Launch& l) { return at_ceiling(l) && is_long(l); });
  const std::int64_t needed = ceiling >= kUsualQueue ? 1 : kFewestBlockedCalls;
  if (ceiling < kSmallestQueue || blocked < needed) return;
  edges_.queue_depth = ceiling;
  for (const Launch& l : launches) {
    if (at_ceiling(l) && is_long(l)) blocked_[l.call] = true;
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
      return b == Binding::launch ? t : std::min(t + dispatch_ns_, d.begin[op]);
    };
    if (best.binding == Binding::none || begin(binding, time) > begin(best.binding, best.time))
      best = {binding, time, launch, predecessor};
  };
  const CallId launch = trace_.launch_of(op);
  if (launch != kNone)
    offer(Binding::launch, issue_time(op) + edges_.launch_latency_ns, launch, kNone);
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
