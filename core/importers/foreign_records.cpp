// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/importers/device_clock.hpp"
#include "core/importers/device_places.hpp"
#include "core/importers/trace_repairs.hpp"
#include "core/importers/usual_times.hpp"
#include "core/model/row_order.hpp"
#include "core/support/duration.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr double kRounded = 0.05;             // share of the records
constexpr double kFewLost = 0.2;              // share of the records
constexpr std::int64_t kTwoUnits_ns = 2'000;  // two units of a clock of microseconds
constexpr double kMany = 0.5;
constexpr std::size_t kFewestCalls = 20;
constexpr std::int64_t kLongestQuick_ns = 300'000, kShortestSlow_ns = 200, kShortestKernel_ns = 500;

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

bool counts_whole_microseconds(const DeviceOps& d) {
  return std::all_of(d.begin.begin(), d.begin.end(),
                     [](std::int64_t begin) { return begin % 1'000 == 0; });
}

// By row, kernels and copies without a length that were not rounded away. A clock of microseconds
// takes the length of what is as short as its unit, which others like it show, and of few others.
std::vector<bool> lost_lengths(const DeviceOps& d, const UsualTimes& usual,
                               const std::vector<bool>& without) {
  const bool rounds = counts_whole_microseconds(d);
  std::vector<bool> out(d.size(), false);
  std::uint64_t kernels = 0, alone = 0;  // those without a length of which no other has one
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    kernels += is_kernel(d, op) ? 1U : 0U;
    const std::int64_t least = without[op] ? usual.least(op) : -1;
    out[op] = least > (rounds ? kTwoUnits_ns : 0);
    alone += without[op] && is_kernel(d, op) && least < 0 ? 1U : 0U;
  }
  if (static_cast<double>(alone) <= (rounds ? kRounded : 0) * static_cast<double>(kernels))
    return out;
  for (DeviceOpId op = 0; op < d.size(); ++op)
    out[op] = out[op] || (without[op] && is_kernel(d, op) && usual.least(op) < 0);
  return out;
}

// Where few records lack their length, each is given the time of others like it.
void give_lost_lengths(TraceData& data, const std::vector<bool>& lost, std::uint64_t count) {
  const StreamOrder order = in_stream_order(data.device_ops);
  std::vector<WrongEnd> wrong;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!lost[order[i]]) continue;
    const bool is_last = i + 1 == order.size() ||
                         data.device_ops.stream[order[i]] != data.device_ops.stream[order[i + 1]];
    wrong.push_back({order[i], is_last ? std::numeric_limits<std::int64_t>::max()
                                       : data.device_ops.begin[order[i + 1]]});
  }
  give_usual_times(data.device_ops, wrong);
  data.health.notes.push_back(fmt::format(
      "{} record{} of the device's work {} no length, which the profiler lost: {} given the time "
      "of "
      "others like {}, and end{} at the latest where the next op begins",
      count, count == 1 ? "" : "s", count == 1 ? "has" : "have", count == 1 ? "it is" : "they are",
      count == 1 ? "it" : "them", count == 1 ? "s" : ""));
}

void remove_lost_lengths(TraceData& data, const std::vector<bool>& lost, std::uint64_t all) {
  const auto count = static_cast<std::uint64_t>(std::count(lost.begin(), lost.end(), true));
  erase_device_ops(data.device_ops, lost);
  data.health.zero_timestamps += count;
  data.health.notes.push_back(fmt::format(
      "{} of {} records of the device's work {} no length, which the profiler lost: what "
      "they took is not in the device's busy time",
      count, all, count == 1 ? "has" : "have"));
}

void mend_lengths(TraceData& data) {
  const DeviceOps& d = data.device_ops;
  std::vector<bool> without(d.size(), false);
  for (DeviceOpId op = 0; op < d.size(); ++op)
    without[op] = d.begin[op] == d.end[op] && (is_kernel(d, op) || is_plain_copy(d, op));
  const UsualTimes usual(d, without);
  std::vector<bool> known = lost_lengths(d, usual, without), unknown(d.size(), false);
  const auto count = [](const std::vector<bool>& some) {
    return static_cast<std::uint64_t>(std::count(some.begin(), some.end(), true));
  };
  const bool few = static_cast<double>(count(known)) <= kFewLost * static_cast<double>(d.size());
  for (DeviceOpId op = 0; op < d.size(); ++op)
    if (known[op] && (!few || usual.least(op) < 0)) known[op] = false, unknown[op] = true;
  if (count(known) > 0) give_lost_lengths(data, known, count(known));
  if (count(unknown) > 0) remove_lost_lengths(data, unknown, d.size());
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

std::vector<std::int64_t> lengths_of_launches(const TraceData& data) {
  std::vector<std::int64_t> out;
  for (CallId call = 0; call < data.calls.size(); ++call) {
    const RangeId range = data.calls.range[call];
    if (data.calls.api[call] == ApiKind::launch_kernel)
      out.push_back(data.host_ranges.end[range] - data.host_ranges.begin[range]);
  }
  return out;
}

// Those that a clock of microseconds rounded away tell nothing.
std::vector<std::int64_t> lengths_of_kernels(const DeviceOps& d) {
  std::vector<std::int64_t> out;
  for (DeviceOpId op = 0; op < d.size(); ++op)
    if (is_kernel(d, op) && d.end[op] > d.begin[op]) out.push_back(d.end[op] - d.begin[op]);
  return out;
}

// A launch takes some microseconds, whatever it launches, unless the device's queue is full, and no
// kernel takes less than one. Launches without a length, beside kernels that have theirs, tell nothing.
void note_unit_of_time(TraceData& data) {
  const auto note = [&data](const char* what, const char* whose, bool too_long,
                            std::int64_t length) {
    data.health.notes.push_back(fmt::format(
        "nine of ten {} take {} {}, and none does: the times of {} seem to be in a unit that is a "
        "thousand times as {} as they are read in (nanoseconds of nsys, else microseconds). Then "
        "each of them in this report is wrong by that factor",
        what, too_long ? "over" : "at most", format_duration(static_cast<double>(length)), whose,
        too_long ? "short" : "long"));
  };
  const std::vector<std::int64_t> launches = lengths_of_launches(data);
  const std::vector<std::int64_t> kernels = lengths_of_kernels(data.device_ops);
  const bool has_kernels = kernels.size() >= kFewestCalls;
  const std::int64_t long_kernel = has_kernels ? percentile(kernels, 0.9) : 0;
  if (launches.size() >= kFewestCalls) {
    const std::int64_t quick = percentile(launches, 0.1), slow = percentile(launches, 0.9);
    const bool is_lost = slow == 0 && long_kernel >= kShortestKernel_ns;
    if (quick > kLongestQuick_ns) return note("kernel launches", "this file", true, quick);
    if (slow < kShortestSlow_ns && !is_lost)
      return note("kernel launches", "this file", false, slow);
  }
  if (!has_kernels || long_kernel >= kShortestKernel_ns) return;
  note("kernels", "the device's records", false, long_kernel);
}

std::vector<bool> either(std::vector<bool> a, const std::vector<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

}  // namespace

void mend_foreign_records(TraceData& data) {
  put_in_order(data);
  remove_doubles(data);
  mend_lengths(data);
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
