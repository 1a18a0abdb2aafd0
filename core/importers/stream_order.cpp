// SPDX-License-Identifier: Apache-2.0
#include "core/importers/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/support/duration.hpp"

namespace stepscope {
namespace {

constexpr std::int64_t kRounding_ns = 2'000;  // of clocks and of whole-microsecond traces
constexpr double kMuch = 0.5;                 // of the record's own time

bool is_plain_copy(const DeviceOps& ops, std::size_t op) {
  const bool is_copy = ops.kind[op] == DeviceOpKind::memcpy || ops.kind[op] == DeviceOpKind::memset;
  return is_copy && ops.graph[op] == 0 && ops.begin[op] != 0;
}

// By stream and begin.
std::vector<std::uint32_t> in_stream_order(const DeviceOps& ops) {
  std::vector<std::uint32_t> order(ops.size());
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

std::vector<Broken> find_broken(const DeviceOps& ops, const std::vector<std::uint32_t>& order) {
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

// Times of the copies that keep the order, by kind, direction and size.
class UsualTimes {
 public:
  UsualTimes(const DeviceOps& ops, const std::vector<Broken>& broken) : ops_(ops) {
    std::vector<bool> is_broken(ops.size(), false);
    for (const Broken& one : broken) is_broken[one.op] = true;
    for (std::uint32_t op = 0; op < ops.size(); ++op) {
      if (is_plain_copy(ops, op) && !is_broken[op])
        times_[key(op)].emplace_back(size(op), ops.end[op] - ops.begin[op]);
    }
    for (auto& [kind, times] : times_) std::sort(times.begin(), times.end());
  }

  // Of the nearest size, the shorter of two; -1: there is none of its kind.
  std::int64_t of(std::uint32_t op) const {
    const auto at = times_.find(key(op));
    if (at == times_.end()) return -1;
    const auto& times = at->second;
    const std::pair<std::uint64_t, std::int64_t> wanted{size(op), 0};
    const auto above = std::lower_bound(times.begin(), times.end(), wanted);
    if (above == times.begin()) return above->second;
    const auto below = std::prev(above);
    if (above == times.end()) return below->second;
    const bool is_nearer = above->first - size(op) < size(op) - below->first;
    return is_nearer ? above->second : below->second;
  }

 private:
  using Key = std::pair<DeviceOpKind, CopyKind>;
  Key key(std::uint32_t op) const { return {ops_.kind[op], ops_.copy_kind[op]}; }
  std::uint64_t size(std::uint32_t op) const {
    return ops_.bytes[op] == kUnknownBytes ? 0 : ops_.bytes[op];
  }

  const DeviceOps& ops_;
  std::map<Key, std::vector<std::pair<std::uint64_t, std::int64_t>>> times_;
};

}  // namespace

void mend_stream_order(TraceData& data) {
  DeviceOps& ops = data.device_ops;
  const std::vector<Broken> broken = find_broken(ops, in_stream_order(ops));
  if (broken.empty()) return;
  const UsualTimes usual(ops, broken);
  std::int64_t taken = 0;
  std::vector<std::int64_t> ends;
  for (const Broken& one : broken) {
    const std::int64_t time = usual.of(one.op);
    ends.push_back(time < 0 ? one.next : std::min(one.next, ops.begin[one.op] + time));
  }
  for (std::size_t i = 0; i < broken.size(); ++i) {
    taken += ops.end[broken[i].op] - ends[i];
    ops.end[broken[i].op] = ends[i];
  }
  data.health.notes.push_back(fmt::format(
      "{} record{} of copies end behind the begin of the next op of their stream ({} in all), "
      "which "
      "cannot be: they are given the time of a copy of their kind and size",
      broken.size(), broken.size() == 1 ? "" : "s", format_duration(static_cast<double>(taken))));
}

}  // namespace stepscope
