// SPDX-License-Identifier: Apache-2.0
#include "core/importers/device_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/support/duration.hpp"
#include "core/support/interval.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kAgree_ns = 100'000;  // whole microseconds, copies from pageable memory
// From the end of the awaited work to the return of a wait.
constexpr std::int64_t kReturn_ns = 10'000;
constexpr std::int64_t kLaunch_ns = 5'000;  // from a call's begin to the device
constexpr std::size_t kFewestLaunches = 20;
constexpr double kFirstOfAll = 0.01;  // correlations that come again give a few wrong pairs
constexpr double kFew = 0.01;         // share of launches

struct Call {
  ThreadId thread = 0;
  std::int64_t begin = 0, end = 0;
  ApiKind api = ApiKind::other;
  Interval device;       // time of all it launched; empty: nothing
  bool is_read = false;  // a copy to the host
};

std::vector<Call> calls_in_order(const TraceData& data, const std::vector<CallId>& launch_of,
                                 const std::vector<bool>& wrong) {
  const HostRanges& h = data.host_ranges;
  const DeviceOps& ops = data.device_ops;
  std::vector<Call> out;
  for (CallId call = 0; call < data.calls.size(); ++call) {
    const RangeId range = data.calls.range[call];
    out.push_back({h.thread[range], h.begin[range], h.end[range], data.calls.api[call], {}, false});
  }
  for (DeviceOpId op = 0; op < ops.size(); ++op) {
    if (launch_of[op] == kNone || wrong[op]) continue;
    Call& call = out[launch_of[op]];
    call.is_read = call.is_read || ops.copy_kind[op] == CopyKind::device_to_host;
    if (!is_launch(call.api)) continue;
    const Interval time{ops.begin[op], ops.end[op]};
    const Interval all = call.device.empty() ? time : call.device;
    call.device = {std::min(all.begin, time.begin), std::max(all.end, time.end)};
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Call& a, const Call& b) { return a.begin < b.begin; });
  return out;
}

// How much later than the wait's return the work ended that it waited for: all launched so far, or
// the copy to the host right before it on its thread. A wait without a length does not say when it
// returned.
std::vector<std::int64_t> ends_behind_waits(const std::vector<Call>& calls) {
  std::vector<std::int64_t> out;
  std::int64_t last_end = std::numeric_limits<std::int64_t>::min();
  std::unordered_map<ThreadId, const Call*> before;
  for (const Call& call : calls) {
    const Call* const previous = std::exchange(before[call.thread], &call);
    const bool returns = call.end > call.begin;
    const bool reads = call.api == ApiKind::sync_stream && previous != nullptr &&
                       previous->is_read && !previous->device.empty();
    if (reads && returns) out.push_back(previous->device.end - call.end);
    if (call.api == ApiKind::sync_device && last_end > call.begin && returns)
      out.push_back(last_end - call.end);
    if (!call.device.empty()) last_end = std::max(last_end, call.device.end);
  }
  return out;
}

std::vector<std::int64_t> begins_behind_launches(const std::vector<Call>& calls) {
  std::vector<std::int64_t> out;
  for (const Call& call : calls) {
    if (!call.device.empty()) out.push_back(call.device.begin - call.begin);
  }
  return out;
}

std::int64_t shift_of(const std::vector<Call>& calls) {
  const std::vector<std::int64_t> launches = begins_behind_launches(calls);
  if (launches.size() < kFewestLaunches) return 0;
  const std::int64_t earliest = percentile(launches, kFirstOfAll);
  if (earliest < -kAgree_ns) return kLaunch_ns - earliest;
  const std::vector<std::int64_t> waits = ends_behind_waits(calls);
  if (waits.empty()) return 0;
  const std::int64_t late = median(waits);
  if (late < kAgree_ns || earliest < kAgree_ns) return 0;
  return -std::min(late + kReturn_ns, earliest - kLaunch_ns);
}

void move(std::vector<std::int64_t>& times, std::int64_t by) {
  for (std::int64_t& time : times) time += by;
}

}  // namespace

std::int64_t mend_device_clock(TraceData& data, const std::vector<CallId>& launch_of,
                               const std::vector<bool>& wrong) {
  const std::int64_t by = shift_of(calls_in_order(data, launch_of, wrong));
  if (by == 0) return 0;
  move(data.device_ops.begin, by), move(data.device_ops.end, by);
  move(data.syncs.begin, by), move(data.syncs.end, by);
  data.health.notes.push_back(fmt::format(
      "the device's clock runs {} {} the host's in this trace ({}), so all device times were moved "
      "by that; what is shorter than the error that is left is a guess",
      format_duration(static_cast<double>(by < 0 ? -by : by)), by < 0 ? "ahead of" : "behind",
      by < 0 ? "waits return before the work that they wait for ends"
             : "operations begin before they are launched"));
  return by;
}

void note_clock_that_drifts(TraceData& data, const std::vector<CallId>& launch_of,
                            const std::vector<bool>& wrong) {
  const std::vector<Call> calls = calls_in_order(data, launch_of, wrong);
  std::vector<std::int64_t> early, late;
  const std::vector<std::int64_t> begins = begins_behind_launches(calls);
  for (const std::int64_t time : begins)
    if (time < -kAgree_ns) early.push_back(-time);
  const std::vector<std::int64_t> waits = ends_behind_waits(calls);
  for (const std::int64_t time : waits)
    if (time > kAgree_ns) late.push_back(time);
  const auto is_much = [](const auto& some, const auto& all) {
    return static_cast<double>(some.size()) > kFew * static_cast<double>(all.size());
  };
  if (begins.size() < kFewestLaunches || !(is_much(early, begins) || is_much(late, waits))) return;
  const auto farthest = [](const std::vector<std::int64_t>& all) {
    return format_duration(
        all.empty() ? 0.0 : static_cast<double>(*std::max_element(all.begin(), all.end())));
  };
  data.health.notes.push_back(fmt::format(
      "the device's clock drifts or jumps against the host's in this trace: {} of {} launches "
      "begin "
      "behind their work (by up to {}), {} of {} waits for the device return before its work ends "
      "(by up to {}). Steps and busy time are off by as much, and what the device waited for is a "
      "guess",
      early.size(), begins.size(), farthest(early), late.size(), waits.size(), farthest(late)));
}

}  // namespace stepscope
