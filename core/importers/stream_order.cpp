// SPDX-License-Identifier: Apache-2.0
#include "core/importers/trace_repairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kRounding_ns = 2'000;  // rounding of clocks and of whole-microsecond traces
constexpr double kMuch = 0.5;                 // share of the record's own time
constexpr double kNoOrder = 0.2;              // share of kernels
constexpr std::int64_t kFarLonger = 10;       // times as long
constexpr std::size_t kFewestOthers = 3;

bool is_plain_copy(const DeviceOps& ops, std::size_t op) {
  const bool is_copy = ops.kind[op] == DeviceOpKind::memcpy || ops.kind[op] == DeviceOpKind::memset;
  return is_copy && ops.graph[op] == 0 && ops.begin[op] != 0;
}

bool is_kernel(const DeviceOps& ops, std::size_t op) {
  return ops.kind[op] == DeviceOpKind::kernel && ops.begin[op] != 0;
}

using Order = std::vector<std::uint32_t>;  // rows of the table

// Returns the ops by stream and begin.
Order in_stream_order(const DeviceOps& ops) {
  Order order(ops.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&ops](std::uint32_t a, std::uint32_t b) {
    return std::pair(ops.stream[a], ops.begin[a]) < std::pair(ops.stream[b], ops.begin[b]);
  });
  return order;
}

struct Broken {
  std::uint32_t op;
  std::int64_t next;  // begin of the next op of its stream
};

std::vector<Broken> broken_copies(const DeviceOps& ops, const Order& order) {
  std::vector<Broken> out;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::uint32_t op = order[i], next = order[i + 1];
    if (ops.stream[op] != ops.stream[next] || !is_plain_copy(ops, op)) continue;
    const std::int64_t over = ops.end[op] - ops.begin[next];
    const auto own = static_cast<double>(ops.end[op] - ops.begin[op]);
    if (over > kRounding_ns && static_cast<double>(over) > kMuch * own)
      out.push_back({op, ops.begin[next]});
  }
  return out;
}

// For each place of the order that of the next op of the stream which another call launched.
std::vector<std::size_t> followers(const DeviceOps& ops, const Order& order) {
  std::vector<std::size_t> out(order.size(), order.size());
  for (std::size_t i = order.size(); i-- > 0;) {
    if (i + 1 == order.size() || ops.stream[order[i]] != ops.stream[order[i + 1]]) continue;
    const std::uint32_t launch = ops.correlation[order[i]];
    const bool together = launch != 0 && launch == ops.correlation[order[i + 1]];
    out[i] = together ? out[i + 1] : i + 1;
  }
  return out;
}

struct BrokenKernels {
  std::vector<Broken> kernels;
  std::vector<Broken> without_order;  // those of streams that keep no order
  std::uint64_t in_such_streams = 0;
};

// Goes from the last op to the first, so that an op is corrected before the one that precedes it.
BrokenKernels broken_kernels(const DeviceOps& ops, const Order& order) {
  const std::vector<std::size_t> behind = followers(ops, order);
  std::vector<std::int64_t> ends = ops.end;
  std::map<StreamId, std::pair<std::size_t, std::vector<Broken>>> streams;  // kernels, and broken
  for (std::size_t i = order.size(); i-- > 0;) {
    const std::uint32_t op = order[i];
    if (!is_kernel(ops, op)) continue;
    auto& [kernels, broken] = streams[ops.stream[op]];
    ++kernels;
    if (behind[i] == order.size()) continue;
    const std::uint32_t next = order[behind[i]];
    const std::int64_t begin = std::max(ops.begin[next], ops.begin[op]);
    const std::int64_t latest = is_kernel(ops, next) ? std::max(begin, ends[next]) : begin;
    if (ends[op] - begin <= kRounding_ns || ends[op] <= latest) continue;
    ends[op] = begin;
    broken.push_back({op, begin});
  }
  BrokenKernels out;
  for (const auto& [stream, of_stream] : streams) {
    const auto& [kernels, broken] = of_stream;
    const double most = std::max(2.0, kNoOrder * static_cast<double>(kernels));
    if (static_cast<double>(broken.size()) <= most) {
      out.kernels.insert(out.kernels.end(), broken.begin(), broken.end());
    } else {
      out.without_order.insert(out.without_order.end(), broken.begin(), broken.end());
      out.in_such_streams += kernels;
    }
  }
  return out;
}

void note_no_order(const BrokenKernels& found, std::vector<std::string>& notes) {
  if (found.without_order.empty()) return;
  notes.push_back(fmt::format(
      "{} of {} kernels end behind the end of a later one of their stream, where one runs after "
      "the "
      "other: their lengths are wrong (another unit than their begins?), or several ranks or "
      "processes stand in this file. What the device did is a guess",
      found.without_order.size(), found.in_such_streams));
}

// The last kernels of streams that outlast the host's last record, and others of their name by far.
std::vector<Broken> endless_kernels(const TraceData& data, const Order& order) {
  const DeviceOps& ops = data.device_ops;
  const std::vector<std::int64_t>& ends = data.host_ranges.end;
  if (ends.empty()) return {};
  const std::int64_t last_end = *std::max_element(ends.begin(), ends.end());
  std::vector<Broken> out;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t op = order[i];
    const bool is_last = i + 1 == order.size() || ops.stream[op] != ops.stream[order[i + 1]];
    if (!is_last || !is_kernel(ops, op) || ops.end[op] <= last_end) continue;
    std::size_t others = 0;
    std::int64_t longest = 0;
    for (std::uint32_t other = 0; other < ops.size(); ++other) {
      if (other == op || ops.name[other] != ops.name[op]) continue;
      ++others;
      longest = std::max(longest, ops.end[other] - ops.begin[other]);
    }
    const bool is_endless = ops.end[op] - ops.begin[op] > kFarLonger * longest;
    if (others >= kFewestOthers && is_endless) out.push_back({op, ops.begin[op] + longest});
  }
  return out;
}

// Times of the ops that keep the order, by kind, direction and size; of kernels by name.
class UsualTimes {
 public:
  UsualTimes(const DeviceOps& ops, const std::vector<Broken>& broken) : ops_(ops) {
    std::vector<bool> is_broken(ops.size(), false);
    for (const Broken& one : broken) is_broken[one.op] = true;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if ((is_plain_copy(ops, op) || is_kernel(ops, op)) && !is_broken[op])
        times_[key(op)].emplace_back(size(op), ops.end[op] - ops.begin[op]);
    }
    for (auto& [kind, times] : times_) std::sort(times.begin(), times.end());
  }

  // -1: there is none of its kind.
  std::int64_t of(std::uint32_t op) const {
    const auto at = times_.find(key(op));
    if (at == times_.end()) return -1;
    const Times& times = at->second;
    return is_kernel(ops_, op) ? times[(times.size() - 1) / 2].second : of_nearest(times, size(op));
  }

 private:
  using Key = std::tuple<DeviceOpKind, CopyKind, StringId>;
  using Times = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // size and time

  // The shorter of two that are as near.
  static std::int64_t of_nearest(const Times& times, std::uint64_t size) {
    const std::pair<std::uint64_t, std::int64_t> wanted{size, 0};
    const auto above = std::lower_bound(times.begin(), times.end(), wanted);
    if (above == times.begin()) return above->second;
    const auto below = std::prev(above);
    if (above == times.end()) return below->second;
    return above->first - size < size - below->first ? above->second : below->second;
  }

  Key key(std::uint32_t op) const {
    return {ops_.kind[op], ops_.copy_kind[op], is_kernel(ops_, op) ? ops_.name[op] : 0};
  }
  std::uint64_t size(std::uint32_t op) const {
    return is_kernel(ops_, op) || ops_.bytes[op] == kUnknownBytes ? 0 : ops_.bytes[op];
  }

  const DeviceOps& ops_;
  std::map<Key, Times> times_;
};

// Returns by how much the records together became shorter.
std::int64_t give_usual_times(DeviceOps& ops, const std::vector<Broken>& broken) {
  const UsualTimes usual(ops, broken);
  std::int64_t taken = 0;
  for (const Broken& one : broken) {
    const std::int64_t time = usual.of(one.op);
    const std::int64_t end = time < 0 ? one.next : std::min(one.next, ops.begin[one.op] + time);
    taken += ops.end[one.op] - end;
    ops.end[one.op] = end;
  }
  return taken;
}

void mend(TraceData& data, const std::vector<Broken>& broken, const char* which, const char* what,
          const char* given) {
  if (broken.empty()) return;
  const std::int64_t taken = give_usual_times(data.device_ops, broken);
  data.health.notes.push_back(fmt::format(
      "{} record{} of {} {} ({} in all), which cannot be: they are given the time of {}",
      broken.size(), broken.size() == 1 ? "" : "s", which, what,
      format_duration(static_cast<double>(taken)), given));
}

}  // namespace

std::vector<bool> overrunning_ops(const TraceData& data) {
  const Order order = in_stream_order(data.device_ops);
  const BrokenKernels kernels = broken_kernels(data.device_ops, order);
  std::vector<bool> out(data.device_ops.size(), false);
  for (const auto& some : {broken_copies(data.device_ops, order), kernels.kernels,
                           kernels.without_order, endless_kernels(data, order)})
    for (const Broken& one : some) out[one.op] = true;
  return out;
}

void mend_stream_order(TraceData& data) {
  const Order order = in_stream_order(data.device_ops);
  mend(data, broken_copies(data.device_ops, order), "copies",
       "end behind the begin of the next op of their stream", "a copy of their kind and size");
  const BrokenKernels found = broken_kernels(data.device_ops, order);
  if (data.source != SourceKind::stepscope) note_no_order(found, data.health.notes);
  mend(data, found.kernels, "kernels", "end behind the end of the next op of their stream",
       "others of their name, and end at the latest where the next op begins");
  mend(data, endless_kernels(data, order), "kernels",
       "outlast all else, and others of their name more than ten times", "those");
}

}  // namespace stepscope
