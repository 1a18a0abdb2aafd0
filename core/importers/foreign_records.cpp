// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/importers/device_clock.hpp"
#include "core/importers/device_places.hpp"
#include "core/importers/trace_repairs.hpp"
#include "core/model/row_order.hpp"
#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kRounded = 0.05;  // share of the records
constexpr double kMany = 0.5;
constexpr std::size_t kFewestCalls = 20;
constexpr std::int64_t kLongestQuick_ns = 300'000, kShortestSlow_ns = 200;

bool is_same_record(const DeviceOps& d, const std::vector<Stream>& streams, DeviceOpId a,
                    DeviceOpId b) {
  const bool same_place = d.correlation[a] != 0
                              ? streams[d.stream[a]].device == streams[d.stream[b]].device &&
                                    streams[d.stream[a]].process == streams[d.stream[b]].process
                              : d.stream[a] == d.stream[b];
  return same_place && d.end[a] == d.end[b] && d.correlation[a] == d.correlation[b] &&
         d.name[a] == d.name[b] && d.kind[a] == d.kind[b] && d.graph_node[a] == d.graph_node[b];
}

// Nodes of a graph without their numbers may be alike and run beside each other.
bool is_of_graph(const TraceData& data, const std::vector<CallId>& launch_of, DeviceOpId op) {
  if (data.device_ops.graph[op] != 0) return data.device_ops.graph_node[op] == 0;
  return launch_of[op] != kNone && data.calls.api[launch_of[op]] == ApiKind::launch_graph;
}

// A record that stands in the trace again: two subscribers wrote it, or a file was joined to itself.
void remove_doubles(TraceData& data) {
  const std::vector<CallId> launch_of = link_launches(data);
  DeviceOps& d = data.device_ops;
  std::vector<bool> again(d.size(), false);
  std::uint64_t doubles = 0;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (is_of_graph(data, launch_of, op)) continue;
    for (DeviceOpId before = op; before-- > 0 && d.begin[before] == d.begin[op] && !again[op];)
      again[op] = is_same_record(d, data.streams, before, op);
    doubles += again[op] ? 1U : 0U;
  }
  if (doubles == 0) return;
  erase_device_ops(d, again);
  data.health.notes.push_back(fmt::format(
      "{} record{} of the device's work {} twice in this trace: one of each is read. Numbers of "
      "calls and operations of the host may be twice what they were",
      doubles, doubles == 1 ? "" : "s", doubles == 1 ? "stands" : "stand"));
}

// The clock's rounding takes the length of few kernels.
void remove_kernels_without_length(TraceData& data) {
  DeviceOps& d = data.device_ops;
  std::vector<bool> gone(d.size(), false);
  std::uint64_t kernels = 0, without = 0;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    if (d.kind[op] != DeviceOpKind::kernel) continue;
    ++kernels;
    gone[op] = d.begin[op] == d.end[op];
    without += gone[op] ? 1U : 0U;
  }
  if (static_cast<double>(without) <= kRounded * static_cast<double>(kernels)) return;
  erase_device_ops(d, gone);
  data.health.zero_timestamps += without;
  data.health.notes.push_back(
      fmt::format("{} of {} records of kernels have no length, which the profiler lost: what they "
                  "took is not in the device's busy time",
                  without, kernels));
}

// A number that many ops of plain launches share is none: the ops are tied to no call. Where an op
// comes beside the one that its call put there, it alone is tied to none.
void forget_shared_numbers(TraceData& data) {
  DeviceOps& d = data.device_ops;
  const std::vector<CallId> launch_of = link_launches(data);
  const std::unordered_set<std::uint32_t> calls(data.calls.correlation.begin(),
                                                data.calls.correlation.end());
  const auto is_further = [&](DeviceOpId op) {
    return launch_of[op] == kNone && d.correlation[op] != 0 && calls.contains(d.correlation[op]);
  };
  std::unordered_map<std::uint32_t, std::uint64_t> further;
  for (DeviceOpId op = 0; op < d.size(); ++op)
    if (is_further(op)) ++further[d.correlation[op]];
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const auto shared = further.find(d.correlation[op]);
    const bool is_none = shared != further.end() && kMany * static_cast<double>(d.size()) <
                                                        static_cast<double>(shared->second);
    if (is_none || is_further(op)) d.correlation[op] = 0;
  }
}

// Removes device records that no call is known for and that lie further from all host records than
// these span: nobody knows which part of the run they belong to.
void remove_far_records(TraceData& data) {
  const HostRanges& h = data.host_ranges;
  if (h.size() == 0) return;
  const std::int64_t first = *std::min_element(h.begin.begin(), h.begin.end());
  const std::int64_t last = *std::max_element(h.end.begin(), h.end.end());
  const std::int64_t far = last - first;
  DeviceOps& d = data.device_ops;
  std::vector<bool> gone(d.size(), false);
  std::uint64_t count = 0;
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    gone[op] = d.begin[op] - last > far || first - d.end[op] > far;
    count += gone[op] ? 1U : 0U;
  }
  if (count == 0 || static_cast<double>(count) > kRounded * static_cast<double>(d.size())) return;
  erase_device_ops(d, gone);
  data.health.zero_timestamps += count;
  data.health.notes.push_back(fmt::format(
      "{} record{} of the device's work {} far from all that the host did, and no call tells when "
      "{} ran: left out",
      count, count == 1 ? "" : "s", count == 1 ? "lies" : "lie", count == 1 ? "it" : "they"));
}

// A launch takes some microseconds, whatever it launches, unless the device's queue is full.
void note_unit_of_time(TraceData& data) {
  std::vector<std::int64_t> lengths;
  for (CallId call = 0; call < data.calls.size(); ++call) {
    const RangeId range = data.calls.range[call];
    if (data.calls.api[call] == ApiKind::launch_kernel)
      lengths.push_back(data.host_ranges.end[range] - data.host_ranges.begin[range]);
  }
  if (lengths.size() < kFewestCalls) return;
  const std::int64_t quick = percentile(lengths, 0.1), slow = percentile(lengths, 0.9);
  const bool too_long = quick > kLongestQuick_ns;
  if (!too_long && slow >= kShortestSlow_ns) return;
  data.health.notes.push_back(fmt::format(
      "nine of ten kernel launches take {} {}, and none does: the times of this file seem to be in "
      "a "
      "unit that is a thousand times as {} as they are read in (nanoseconds of nsys, else "
      "microseconds). Then every time in this report is wrong by that factor",
      too_long ? "over" : "at most", format_duration(static_cast<double>(too_long ? quick : slow)),
      too_long ? "short" : "long"));
}

std::vector<bool> either(std::vector<bool> a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

}  // namespace

void mend_foreign_records(TraceData& data) {
  put_in_order(data);
  remove_doubles(data);
  remove_kernels_without_length(data);
  forget_shared_numbers(data);
  const std::vector<CallId> launch_of = link_launches(data);
  const std::vector<bool> misplaced = misplaced_ops(data, launch_of);
  const std::vector<bool> wrong = either(misplaced, overrunning_ops(data));
  (void)mend_device_clock(data, launch_of, wrong);
  note_clock_that_drifts(data, launch_of, wrong);
  (void)put_in_place(data, launch_of, misplaced);
  remove_far_records(data);
  note_unit_of_time(data);
}

}  // namespace stepscope
