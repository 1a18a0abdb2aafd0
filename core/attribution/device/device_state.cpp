// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/device/device_state.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace stepscope {
namespace {

struct Change {
  std::int64_t time;
  bool begins;
  DeviceOpId op;
};

int priority(Cause cause) {
  if (cause >= Cause::copy_h2d_pageable) return 2;
  return cause >= Cause::comm_transfer ? 1 : 0;
}

std::vector<Change> changes_of(const DeviceOps& table, const std::vector<DeviceOpId>& ops) {
  std::vector<Change> changes;
  changes.reserve(2 * ops.size());
  for (DeviceOpId op : ops) {
    if (table.end[op] <= table.begin[op]) continue;
    changes.push_back({table.begin[op], true, op});
    changes.push_back({table.end[op], false, op});
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tuple(a.time, a.begins, a.op) < std::tuple(b.time, b.begins, b.op);
  });
  return changes;
}

void append(std::vector<BusySegment>& segments, Interval time, DeviceOpId op) {
  if (time.empty()) return;
  if (!segments.empty() && segments.back().op == op && segments.back().time.end == time.begin) {
    segments.back().time.end = time.end;
  } else {
    segments.push_back({time, op});
  }
}

}  // namespace

std::vector<BusySegment> busy_segments(const DeviceOps& table, const std::vector<DeviceOpId>& ops,
                                       const std::vector<Cause>& cause_of_op) {
  std::set<std::tuple<int, std::int64_t, DeviceOpId>> running;
  std::vector<BusySegment> segments;
  std::int64_t since = 0;
  for (const Change& change : changes_of(table, ops)) {
    if (!running.empty()) append(segments, {since, change.time}, std::get<2>(*running.begin()));
    since = change.time;
    const auto key =
        std::tuple(priority(cause_of_op[change.op]), table.begin[change.op], change.op);
    if (change.begins) {
      running.insert(key);
    } else {
      running.erase(key);
    }
  }
  return segments;
}

SharedDevices::SharedDevices(const Trace& trace, ProcessId process) {
  for (auto& [device, samples] : device_samples(trace, process)) {
    const auto& counts = samples.of(DeviceCounter::other_processes);
    const bool ever =
        std::any_of(counts.begin(), counts.end(), [](const auto& s) { return s.value > 0; });
    if (ever) others_[device] = counts;
  }
}

bool SharedDevices::is_shared(std::uint32_t device, std::int64_t time) const {
  const auto found = others_.find(device);
  if (found == others_.end()) return false;
  const auto& counts = found->second;
  const auto behind =
      std::upper_bound(counts.begin(), counts.end(), time,
                       [](std::int64_t t, const DeviceSample& s) { return t < s.time; });
  return (behind != counts.end() && behind->value > 0) ||
         (behind != counts.begin() && std::prev(behind)->value > 0);
}

}  // namespace stepscope
