// SPDX-License-Identifier: Apache-2.0
#include "core/simulate/inflation.hpp"

#include <algorithm>

#include "core/simulate/replay.hpp"

namespace stepscope {
namespace {

constexpr int kHalvings = 24;
constexpr double kMostNsPerRecord = 20'000;
constexpr double kLeastShare = 0.1;  // the least share of a task's time that is its own work
constexpr double kTolerance = 0.01;

TaskGraph without(const TaskGraph& graph, double ns_per_record) {
  TaskGraph out = graph;
  for (HostTask& task : out.host) {
    const double own = std::max(task.ns * kLeastShare, task.ns - task.records * ns_per_record);
    const double taken = task.ns - own;
    for (DeviceTask& op : out.ops_of(task)) op.arrival_ns = std::max(0.0, op.arrival_ns - taken);
    task.ns = own;
  }
  return out;
}

}  // namespace

TaskGraph with_host_times(const TaskGraph& graph, double factor) {
  TaskGraph out = graph;
  for (HostTask& task : out.host) {
    const double taken = (1 - factor) * task.ns;
    for (DeviceTask& op : out.ops_of(task)) op.arrival_ns = std::max(0.0, op.arrival_ns - taken);
    task.ns *= factor;
  }
  return out;
}

TaskGraph deflate_in_proportion(const TaskGraph& graph, double plain_ns) {
  double low = kLeastShare;
  double high = 1;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (replay(with_host_times(graph, middle)).ns() > plain_ns ? high : low) = middle;
  }
  return with_host_times(graph, low);
}

std::optional<Deflated> deflate(TaskGraph& graph, double plain_ns) {
  double low = 0;
  double high = kMostNsPerRecord;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (replay(without(graph, middle)).ns() > plain_ns ? low : high) = middle;
  }
  TaskGraph plain = without(graph, low);
  const double error = replay(plain).ns() / plain_ns - 1;
  if (error > kTolerance || error < -kTolerance) return std::nullopt;
  graph = std::move(plain);
  return Deflated{low};
}

}  // namespace stepscope
