// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/captures.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace stepscope {
namespace {

// Longer chains of clones are a damaged file's.
constexpr int kMaxClones = 16;

using Key = std::tuple<ProcessId, std::uint64_t, bool, std::int64_t>;

Key key_of(const Trace& trace, std::uint32_t row) {
  const GraphNodes& nodes = trace.graph_nodes();
  const ProcessId process = trace.data().threads[nodes.thread[row]].process;
  return {process, nodes.node[row], nodes.original[row] != 0, nodes.time[row]};
}

std::int64_t time_of_launch(const Trace& trace, DeviceOpId op) {
  const CallId launch = trace.launch_of(op);
  if (launch == kNone) return trace.device_ops().begin[op];
  return trace.host_ranges().begin[trace.calls().range[launch]];
}

}  // namespace

bool is_graph_op(const DeviceOps& ops, DeviceOpId op) {
  return ops.graph[op] != 0 || ops.graph_node[op] != 0;
}

Captures::Captures(const Trace& trace) : trace_(trace) {
  rows_.resize(trace.graph_nodes().size());
  if (rows_.empty()) return;
  std::iota(rows_.begin(), rows_.end(), 0U);
  std::stable_sort(rows_.begin(), rows_.end(), [&trace](std::uint32_t a, std::uint32_t b) {
    return key_of(trace, a) < key_of(trace, b);
  });
  const HostRanges& h = trace.host_ranges();
  for (const RangeId range : trace.calls().range) {
    const std::string_view name = trace.text(h.name[range]);
    const bool begins = name.find("StreamBeginCapture") != std::string_view::npos;
    if (!begins && name.find("StreamEndCapture") == std::string_view::npos) continue;
    const ThreadId thread = h.thread[range];
    bounds_.push_back({trace.data().threads[thread].process, {thread, h.begin[range]}, begins});
  }
  std::stable_sort(bounds_.begin(), bounds_.end(), [](const Bound& a, const Bound& b) {
    return std::tuple(a.process, a.at.time) < std::tuple(b.process, b.at.time);
  });
}

std::uint32_t Captures::latest(ProcessId process, std::uint64_t node, bool clone,
                               std::int64_t time) const {
  const Key wanted{process, node, clone, time};
  const auto after = std::upper_bound(
      rows_.begin(), rows_.end(), wanted,
      [this](const Key& key, std::uint32_t row) { return key < key_of(trace_, row); });
  if (after == rows_.begin()) return kNone;
  const auto [its_process, its_node, its_clone, its_time] = key_of(trace_, *(after - 1));
  const bool same = its_process == process && its_node == node && its_clone == clone;
  return same ? *(after - 1) : kNone;
}

std::uint32_t Captures::of(DeviceOpId op) const {
  const DeviceOps& ops = trace_.device_ops();
  if (rows_.empty() || ops.graph_node[op] == 0) return kNone;
  const ProcessId process = trace_.data().streams[ops.stream[op]].process;
  std::uint64_t node = ops.graph_node[op];
  std::int64_t time = time_of_launch(trace_, op);
  for (int clones = 0; clones <= kMaxClones; ++clones) {
    const std::uint32_t clone = latest(process, node, true, time);
    if (clone == kNone) return latest(process, node, false, time);
    node = trace_.graph_nodes().original[clone];
    time = trace_.graph_nodes().time[clone];
  }
  return kNone;
}

std::optional<Moment> Captures::begin_of(std::uint32_t row) const {
  const ThreadId thread = trace_.graph_nodes().thread[row];
  const std::tuple wanted(trace_.data().threads[thread].process, trace_.graph_nodes().time[row]);
  const auto after = std::upper_bound(
      bounds_.begin(), bounds_.end(), wanted,
      [](const auto& key, const Bound& b) { return key < std::tuple(b.process, b.at.time); });
  if (after == bounds_.begin()) return std::nullopt;
  const Bound& last = *(after - 1);
  if (!last.begins || last.process != std::get<0>(wanted)) return std::nullopt;
  return last.at;
}

}  // namespace stepscope
