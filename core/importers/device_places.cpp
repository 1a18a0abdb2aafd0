// SPDX-License-Identifier: Apache-2.0
#include "core/importers/device_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/support/duration.hpp"
#include "core/support/interval.hpp"
#include "core/support/statistics.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kTolerance_ns = 100'000;  // whole microseconds, copies from pageable memory
constexpr double kMostMisplaced = 0.2;           // share of a stream's ops
constexpr double kFewLate = 0.05;                // share of a stream's ops
constexpr double kFewest = 2;
constexpr double kFits = 1.1;

// The device work that one call put on one stream.
struct Launched {
  Interval call;
  Interval device;
  DeviceOpId op = 0;
  bool single = true;
};

using Sequence = std::vector<Launched>;  // what one stream ran, in the order of the calls

// Ops of one call on one stream are one entry.
std::map<StreamId, Sequence> by_stream(const TraceData& data,
                                       const std::vector<CallId>& launch_of) {
  const DeviceOps& d = data.device_ops;
  std::vector<DeviceOpId> linked;
  for (DeviceOpId op = 0; op < d.size(); ++op)
    if (launch_of[op] != kNone) linked.push_back(op);
  const auto called = [&](DeviceOpId op) {
    return data.host_ranges.begin[data.calls.range[launch_of[op]]];
  };
  std::stable_sort(linked.begin(), linked.end(), [&](DeviceOpId a, DeviceOpId b) {
    return std::tuple(d.stream[a], called(a), launch_of[a]) <
           std::tuple(d.stream[b], called(b), launch_of[b]);
  });
  std::map<StreamId, Sequence> out;
  for (std::size_t i = 0; i < linked.size(); ++i) {
    const DeviceOpId op = linked[i];
    Sequence& sequence = out[d.stream[op]];
    const RangeId range = data.calls.range[launch_of[op]];
    const bool again = !sequence.empty() && launch_of[sequence.back().op] == launch_of[op];
    if (!again) {
      sequence.push_back({{data.host_ranges.begin[range], data.host_ranges.end[range]},
                          {d.begin[op], d.end[op]},
                          op});
      continue;
    }
    sequence.back().single = false;
    sequence.back().device.end = std::max(sequence.back().device.end, d.end[op]);
  }
  return out;
}

// The longest part of the sequence whose begins never go back, as a mark for each place.
std::vector<bool> in_order(const Sequence& s) {
  std::vector<std::size_t> ends, before(s.size());  // ends[n]: last place of the best n + 1 places
  for (std::size_t i = 0; i < s.size(); ++i) {
    const auto at = std::upper_bound(
        ends.begin(), ends.end(), s[i].device.begin,
        [&s](std::int64_t begin, std::size_t place) { return begin < s[place].device.begin; });
    before[i] = at == ends.begin() ? s.size() : *(at - 1);
    if (at == ends.end()) {
      ends.push_back(i);
    } else {
      *at = i;
    }
  }
  std::vector<bool> kept(s.size(), false);
  for (std::size_t i = ends.empty() ? s.size() : ends.back(); i < s.size(); i = before[i])
    kept[i] = true;
  return kept;
}

// The nearest place in a direction that is kept and whose call does not overlap that of `i`.
const Launched* neighbour(const Sequence& s, const std::vector<bool>& kept, std::size_t i,
                          std::ptrdiff_t direction) {
  for (auto at = static_cast<std::ptrdiff_t>(i) + direction;
       at >= 0 && at < static_cast<std::ptrdiff_t>(s.size()); at += direction) {
    const Launched& other = s[static_cast<std::size_t>(at)];
    const bool apart =
        direction < 0 ? other.call.end <= s[i].call.begin : s[i].call.end <= other.call.begin;
    if (kept[static_cast<std::size_t>(at)] && apart) return &other;
  }
  return nullptr;
}

void add_out_of_order(const Sequence& s, std::vector<bool>& misplaced) {
  const std::vector<bool> kept = in_order(s);
  std::vector<DeviceOpId> found;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (kept[i] || !s[i].single) continue;
    const Launched* const previous = neighbour(s, kept, i, -1);
    const Launched* const next = neighbour(s, kept, i, 1);
    const std::int64_t begin = s[i].device.begin;
    const bool early = previous != nullptr && begin < previous->device.begin - kTolerance_ns;
    const bool late = next != nullptr && begin > next->device.begin + kTolerance_ns;
    if (early || late) found.push_back(s[i].op);
  }
  const double most = std::max(kFewest, kMostMisplaced * static_cast<double>(s.size()));
  if (static_cast<double>(found.size()) > most) return;
  for (const DeviceOpId op : found) misplaced[op] = true;
}

bool uses_one_device(const TraceData& data) {
  std::set<std::pair<ProcessId, std::uint32_t>> devices;
  for (const Stream& stream : data.streams) devices.emplace(stream.process, stream.device);
  return devices.size() == 1;
}

// Waits for the whole device, in order of their begin.
std::vector<Interval> device_waits(const TraceData& data) {
  std::vector<Interval> out;
  for (CallId call = 0; call < data.calls.size(); ++call) {
    const RangeId range = data.calls.range[call];
    if (data.calls.api[call] == ApiKind::sync_device)
      out.push_back({data.host_ranges.begin[range], data.host_ranges.end[range]});
  }
  std::sort(out.begin(), out.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  return out;
}

// By how much an op ends behind the wait that awaited it; 0 where it does not, or none did.
std::int64_t lateness(const Launched& one, const std::vector<Interval>& waits) {
  const auto wait =
      std::lower_bound(waits.begin(), waits.end(), one.call.end,
                       [](const Interval& w, std::int64_t time) { return w.begin < time; });
  if (wait == waits.end()) return 0;
  const std::int64_t late = one.device.end - wait->end;
  return late > kTolerance_ns ? late : 0;
}

// Runs of ops that are late. A clock that drifts makes each a little later than the one before it;
// records that are wrong lie as far behind the one before them as they are late.
void add_later_than_waits(const Sequence& s, const std::vector<Interval>& waits,
                          std::vector<bool>& misplaced) {
  std::vector<DeviceOpId> found;
  std::int64_t before = std::numeric_limits<std::int64_t>::min();  // end of what is on time
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (misplaced[s[i].op] && s[i].single) continue;
    std::int64_t latest = lateness(s[i], waits);
    if (latest == 0) {
      before = std::max(before, s[i].device.end);
      continue;
    }
    const std::int64_t gap = s[i].device.begin - std::max(before, s[i].call.begin);
    std::size_t last = i;
    for (; last + 1 < s.size() && lateness(s[last + 1], waits) > 0; ++last)
      latest = std::max(latest, lateness(s[last + 1], waits));
    for (; i <= last; ++i)
      if (s[i].single && 2 * gap >= latest) found.push_back(s[i].op);
    i = last;
  }
  const double most = std::max(kFewest, kFewLate * static_cast<double>(s.size()));
  if (static_cast<double>(found.size()) > most) return;
  for (const DeviceOpId op : found) misplaced[op] = true;
}

// Median lengths by name, of the ops that are in their place.
class UsualLengths {
 public:
  UsualLengths(const DeviceOps& ops, const std::vector<bool>& misplaced) {
    std::map<StringId, std::vector<std::int64_t>> lengths;
    for (DeviceOpId op = 0; op < ops.size(); ++op)
      if (misplaced[op]) lengths[ops.name[op]];
    for (DeviceOpId op = 0; op < ops.size(); ++op) {
      const auto wanted = misplaced[op] ? lengths.end() : lengths.find(ops.name[op]);
      if (wanted != lengths.end()) wanted->second.push_back(ops.end[op] - ops.begin[op]);
    }
    for (auto& [name, all] : lengths)
      if (!all.empty()) median_[name] = median(all);
  }
  std::int64_t of(StringId name, std::int64_t otherwise) const {
    const auto known = median_.find(name);
    return known == median_.end() ? otherwise : known->second;
  }

 private:
  std::map<StringId, std::int64_t> median_;
};

struct Placed {
  std::uint64_t ops = 0, unplaced = 0;
  std::int64_t farthest = 0;
};

// A run of misplaced ops between two that are in place.
struct Gap {
  std::size_t first = 0, last = 0;  // places [first, last)
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();

  std::int64_t room(const Sequence& s) const {
    const std::int64_t from = std::max(begin, s[first].call.begin);
    return end == std::numeric_limits<std::int64_t>::max() ? end : end - from;
  }
};

std::vector<std::int64_t> lengths_in(const Gap& gap, const Sequence& s, const DeviceOps& ops,
                                     const UsualLengths& usual) {
  std::vector<std::int64_t> own, shorter;
  std::int64_t sum = 0;
  for (std::size_t i = gap.first; i < gap.last; ++i) {
    own.push_back(s[i].device.length());
    shorter.push_back(std::min(own.back(), usual.of(ops.name[s[i].op], own.back())));
    sum += own.back();
  }
  return sum <= gap.room(s) ? own : shorter;
}

void fill(const Gap& gap, const Sequence& s, const UsualLengths& usual, DeviceOps& ops,
          Placed& placed) {
  const std::vector<std::int64_t> lengths = lengths_in(gap, s, ops, usual);
  std::int64_t sum = 0, at = gap.begin;
  for (const std::int64_t length : lengths) sum += length;
  const std::int64_t room = gap.room(s);
  if (static_cast<double>(sum) > kFits * static_cast<double>(room) + kTolerance_ns) {
    placed.unplaced += lengths.size();
    return;
  }
  for (std::size_t i = gap.first; i < gap.last; ++i) {
    const DeviceOpId op = s[i].op;
    at = std::min(std::max(at, s[i].call.begin), gap.end);
    const Interval was = s[i].device;
    const bool end_can_be = was.begin < at && was.end > at && was.end <= gap.end;
    ops.begin[op] = at;
    ops.end[op] = end_can_be ? was.end : std::min(gap.end, at + lengths[i - gap.first]);
    at = ops.end[op];
    placed.farthest = std::max(placed.farthest, std::abs(was.begin - ops.begin[op]));
    ++placed.ops;
  }
}

void place_in(const Sequence& s, const std::vector<bool>& misplaced, const UsualLengths& usual,
              DeviceOps& ops, Placed& placed) {
  const auto wrong = [&](std::size_t i) { return s[i].single && misplaced[s[i].op]; };
  Gap gap;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (!wrong(i)) {
      gap.begin = std::max(gap.begin, s[i].device.end);
      continue;
    }
    gap.first = i;
    while (i < s.size() && wrong(i)) ++i;
    gap.last = i;
    gap.end = i < s.size() ? std::max(gap.begin, s[i].device.begin)
                           : std::numeric_limits<std::int64_t>::max();
    fill(gap, s, usual, ops, placed);
    --i;
  }
}

void note(const Placed& placed, std::vector<std::string>& notes) {
  if (placed.ops > 0)
    notes.push_back(fmt::format(
        "{} record{} of the device's work {} where {} cannot have run (up to {} off), by the order "
        "in which the stream's work was launched or by a wait: {} put between {} neighbours",
        placed.ops, placed.ops == 1 ? "" : "s", placed.ops == 1 ? "stands" : "stand",
        placed.ops == 1 ? "it" : "they", format_duration(static_cast<double>(placed.farthest)),
        placed.ops == 1 ? "it is" : "they are", placed.ops == 1 ? "its" : "their"));
  if (placed.unplaced > 0)
    notes.push_back(fmt::format(
        "{} records of the device's work are out of the order in which they were launched, and do "
        "not fit where they belong: the device's clock jumps in this trace, and what lies near is "
        "a guess",
        placed.unplaced));
}

}  // namespace

std::vector<bool> misplaced_ops(const TraceData& data, const std::vector<CallId>& launch_of) {
  std::vector<bool> out(data.device_ops.size(), false);
  const std::map<StreamId, Sequence> streams = by_stream(data, launch_of);
  const std::vector<Interval> waits =
      uses_one_device(data) ? device_waits(data) : std::vector<Interval>{};
  for (const auto& [stream, sequence] : streams) {
    add_out_of_order(sequence, out);
    add_later_than_waits(sequence, waits, out);
  }
  return out;
}

bool put_in_place(TraceData& data, const std::vector<CallId>& launch_of,
                  const std::vector<bool>& misplaced) {
  if (std::find(misplaced.begin(), misplaced.end(), true) == misplaced.end()) return false;
  const UsualLengths usual(data.device_ops, misplaced);
  Placed placed;
  for (const auto& [stream, sequence] : by_stream(data, launch_of))
    place_in(sequence, misplaced, usual, data.device_ops, placed);
  note(placed, data.health.notes);
  return placed.ops > 0;
}

}  // namespace stepscope
