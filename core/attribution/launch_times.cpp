// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/launch_times.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

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
constexpr std::int64_t kUsualDispatchNs = 1'000;  // used if a trace has no op that was ready before

}  // namespace

LaunchTimes::LaunchTimes(const Trace& trace, ProcessId process, const std::vector<DeviceOpId>& ops,
                         const std::vector<DeviceOpId>& before_in_stream)
    : trace_(trace),
      process_(process),
      ops_(ops),
      before_in_stream_(before_in_stream),
      blocked_(trace.calls().size(), false),
      loads_its_kernel_(blocked_) {
  learn_latency();
  learn_dispatch_time();
  learn_queue_depth();
  find_loading_launches();
}

std::int64_t LaunchTimes::issue_time(DeviceOpId op) const {
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
  return waited_for_own_op ? std::min(begin + typical_call_ns_, returned) : returned;
}

void LaunchTimes::find_loading_launches() {
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

void LaunchTimes::learn_latency() {
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
  latency_ns_ = std::max<std::int64_t>(0, median(std::move(latencies)));
  if (call_times.empty()) return;
  const auto middle = call_times.begin() + static_cast<std::ptrdiff_t>((call_times.size() - 1) / 2);
  std::nth_element(call_times.begin(), middle, call_times.end());
  typical_call_ns_ = *middle;  // the lower median: one slow call of two must not look typical
}

// Learns the device's own time between an op and the next one that was ready before: a launch that
// arrives within that time did not hold the op back.
void LaunchTimes::learn_dispatch_time() {
  const DeviceOps& d = trace_.device_ops();
  std::vector<std::int64_t> gaps;
  for (DeviceOpId op : ops_) {
    const DeviceOpId before = before_in_stream_[op];
    if (before == kNone || trace_.launch_of(op) == kNone) continue;
    const std::int64_t gap = d.begin[op] - d.end[before];
    const std::int64_t ready = issue_time(op) + latency_ns_;
    if (gap > 0 && gap <= kLongDispatchNs && ready <= d.end[before]) gaps.push_back(gap);
  }
  dispatch_ns_ = gaps.empty() ? kUsualDispatchNs : median(std::move(gaps));
}

// Sweeps the launches in issue order with the number of ops issued and not yet ended.
void LaunchTimes::learn_queue_depth() {
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
    return took >= kLongCallNs && took >= kLongFactor * typical_call_ns_;
  };
  // A full queue is a ceiling: several calls blocked just below the most that was ever outstanding.
  std::uint64_t ceiling = 0;
  for (const Launch& l : launches) ceiling = std::max(ceiling, l.outstanding);
  const auto at_ceiling = [&](const Launch& l) { return l.outstanding + ceiling / 64 >= ceiling; };
  const auto blocked = std::count_if(launches.begin(), launches.end(),
                                     [&](const Launch& l) { return at_ceiling(l) && is_long(l); });
  const std::int64_t needed = ceiling >= kUsualQueue ? 1 : kFewestBlockedCalls;
  if (ceiling < kSmallestQueue || blocked < needed) return;
  queue_depth_ = ceiling;
  for (const Launch& l : launches) {
    if (at_ceiling(l) && is_long(l)) blocked_[l.call] = true;
  }
}

}  // namespace stepscope
