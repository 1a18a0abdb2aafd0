// SPDX-License-Identifier: Apache-2.0
#include "core/importers/usual_times.hpp"

#include <algorithm>
#include <numeric>

namespace stepscope {
namespace {

// The shorter of two that are as near.
template <class Times>
std::int64_t of_nearest(const Times& times, std::uint64_t size) {
  const typename Times::value_type wanted{size, 0};
  const auto above = std::lower_bound(times.begin(), times.end(), wanted);
  if (above == times.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == times.end()) return below->second;
  return above->first - size < size - below->first ? above->second : below->second;
}

}  // namespace

bool is_plain_copy(const DeviceOps& ops, std::size_t op) {
  const bool is_copy = ops.kind[op] == DeviceOpKind::memcpy || ops.kind[op] == DeviceOpKind::memset;
  return is_copy && ops.graph[op] == 0 && ops.begin[op] != 0;
}

bool is_kernel(const DeviceOps& ops, std::size_t op) {
  return ops.kind[op] == DeviceOpKind::kernel && ops.begin[op] != 0;
}

StreamOrder in_stream_order(const DeviceOps& ops) {
  StreamOrder order(ops.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&ops](std::uint32_t a, std::uint32_t b) {
    return std::pair(ops.stream[a], ops.begin[a]) < std::pair(ops.stream[b], ops.begin[b]);
  });
  return order;
}

UsualTimes::UsualTimes(const DeviceOps& ops, const std::vector<bool>& is_wrong) : ops_(ops) {
  for (std::uint32_t op = 0; op < ops.size(); ++op) {
    if ((is_plain_copy(ops, op) || is_kernel(ops, op)) && !is_wrong[op])
      times_[key(op)].emplace_back(size(op), ops.end[op] - ops.begin[op]);
  }
  for (auto& [kind, times] : times_) std::sort(times.begin(), times.end());
}

const UsualTimes::Times* UsualTimes::of_its_kind(std::uint32_t op) const {
  const auto at = times_.find(key(op));
  return at == times_.end() ? nullptr : &at->second;
}

std::int64_t UsualTimes::of(std::uint32_t op) const {
  const Times* const times = of_its_kind(op);
  if (times == nullptr) return -1;
  return is_kernel(ops_, op) ? (*times)[(times->size() - 1) / 2].second
                             : of_nearest(*times, size(op));
}

std::int64_t UsualTimes::least(std::uint32_t op) const {
  const Times* const times = of_its_kind(op);
  if (times == nullptr) return -1;
  return is_kernel(ops_, op) ? times->front().second : of_nearest(*times, size(op));
}

UsualTimes::Key UsualTimes::key(std::uint32_t op) const {
  return {ops_.kind[op], ops_.copy_kind[op], is_kernel(ops_, op) ? ops_.name[op] : 0};
}

std::uint64_t UsualTimes::size(std::uint32_t op) const {
  return is_kernel(ops_, op) || ops_.bytes[op] == kUnknownBytes ? 0 : ops_.bytes[op];
}

std::int64_t give_usual_times(DeviceOps& ops, const std::vector<WrongEnd>& wrong) {
  std::vector<bool> is_wrong(ops.size(), false);
  for (const WrongEnd& one : wrong) is_wrong[one.op] = true;
  const UsualTimes usual(ops, is_wrong);
  std::int64_t taken = 0;
  for (const WrongEnd& one : wrong) {
    const std::int64_t time = usual.of(one.op);
    const std::int64_t end = time < 0 ? one.next : std::min(one.next, ops.begin[one.op] + time);
    taken += ops.end[one.op] - end;
    ops.end[one.op] = end;
  }
  return taken;
}

}  // namespace stepscope
