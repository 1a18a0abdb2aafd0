// SPDX-License-Identifier: Apache-2.0
#include "core/model/trace.hpp"

#include <algorithm>
#include <limits>

#include "core/model/api_kind.hpp"
#include "core/model/row_order.hpp"

namespace stepscope {

HostFamily family_of(HostKind kind) {
  switch (kind) {
    case HostKind::user_scope:
    case HostKind::nvtx_range:
      return HostFamily::annotation;
    case HostKind::python_function:
      return HostFamily::python;
    case HostKind::op:
    case HostKind::backward_node:
      return HostFamily::op;
    case HostKind::runtime_call:
    case HostKind::driver_call:
      return HostFamily::api;
    default:
      return HostFamily::other;
  }
}

namespace {

// One pass over each thread with a stack of open ranges in begin order. Only the top is checked: a
// range that ended below an open one (they cross) stays there unseen until it surfaces, and is
// dropped then.
std::uint64_t link_parents(HostRanges& h) {
  std::uint64_t crossing = 0;
  std::vector<RangeId> open;
  h.parent.assign(h.size(), kNone);
  for (RangeId i = 0; i < h.size(); ++i) {
    if (i > 0 && h.thread[i] != h.thread[i - 1]) open.clear();
    while (!open.empty() && h.end[open.back()] <= h.begin[i]) open.pop_back();
    if (!open.empty()) {
      h.parent[i] = open.back();
      crossing += h.end[i] > h.end[open.back()] ? 1U : 0U;
    }
    open.push_back(i);
  }
  return crossing;
}

std::vector<Rows> rows_by(const std::vector<std::uint32_t>& sorted_keys, std::size_t key_count) {
  std::vector<Rows> rows(key_count);
  for (std::uint32_t begin = 0; begin < sorted_keys.size();) {
    std::uint32_t end = begin;
    while (end < sorted_keys.size() && sorted_keys[end] == sorted_keys[begin]) ++end;
    rows[sorted_keys[begin]] = {begin, end};
    begin = end;
  }
  return rows;
}

template <class Column>
void widen(const Column& begin, const Column& end, std::int64_t& first, std::int64_t& last) {
  if (begin.empty()) return;
  first = std::min(first, *std::min_element(begin.begin(), begin.end()));
  last = std::max(last, *std::max_element(end.begin(), end.end()));
}

template <class T>
std::uint64_t bytes_of(const std::vector<T>& column) {
  return column.capacity() * sizeof(T);
}

template <class... Columns>
std::uint64_t bytes_of_all(const Columns&... columns) {
  return (bytes_of(columns) + ...);
}

}  // namespace

Trace Trace::build(TraceData data) {
  auto state = std::make_shared<State>();
  put_in_order(data);
  data.health.crossing_ranges += link_parents(data.host_ranges);

  state->thread_rows = rows_by(data.host_ranges.thread, data.threads.size());
  state->launch_of = link_launches(data);

  const DeviceOps& d = data.device_ops;
  state->stream_order = sorted_order(
      d.size(), [&d](std::uint32_t a, std::uint32_t b) { return d.stream[a] < d.stream[b]; });
  std::vector<std::uint32_t> keys;
  keys.reserve(d.size());
  for (DeviceOpId op : state->stream_order) keys.push_back(d.stream[op]);
  state->stream_rows = rows_by(keys, data.streams.size());

  const std::vector<CallId>& launch_of = state->launch_of;
  state->launched = sorted_order(d.size(), [&launch_of](std::uint32_t a, std::uint32_t b) {
    return launch_of[a] < launch_of[b];
  });
  std::erase_if(state->launched, [&launch_of](DeviceOpId op) { return launch_of[op] == kNone; });
  keys.clear();
  for (DeviceOpId op : state->launched) keys.push_back(launch_of[op]);
  state->launched_rows = rows_by(keys, data.calls.size());

  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  widen(data.host_ranges.begin, data.host_ranges.end, first, last);
  widen(d.begin, d.end, first, last);
  widen(data.syncs.begin, data.syncs.end, first, last);
  if (first <= last) {
    state->begin = first;
    state->end = last;
  }
  state->data = std::move(data);
  return Trace(std::move(state));
}

std::span<const DeviceOpId> Trace::ops_of(StreamId stream) const {
  const Rows rows = state_->stream_rows[stream];
  return {state_->stream_order.data() + rows.begin, rows.size()};
}

std::span<const DeviceOpId> Trace::ops_launched_by(CallId call) const {
  const Rows rows = state_->launched_rows[call];
  return {state_->launched.data() + rows.begin, rows.size()};
}

CallId Trace::call_of(RangeId range) const {
  const std::vector<RangeId>& ranges = calls().range;
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), range);
  if (at == ranges.end() || *at != range) return kNone;
  return static_cast<CallId>(at - ranges.begin());
}

bool Trace::used_device() const {
  if (device_ops().size() > 0) return true;
  const std::vector<Process>& processes = data().processes;
  const bool initialised = std::any_of(processes.begin(), processes.end(),
                                       [](const Process& p) { return p.facts.contains("cuda"); });
  const bool watched = collected().device_ops && collected().api_calls;
  return initialised && (!watched || std::ranges::any_of(calls().api, is_launch));
}

bool Trace::lacks_operations(ProcessId process) const {
  return data().source == SourceKind::stepscope && !used_device() && !collected().framework_ops &&
         data().processes[process].facts.contains("torch");
}

std::uint64_t Trace::event_count() const {
  return host_ranges().size() + device_ops().size() + data().syncs.size() + data().counters.size() +
         data().marks.size() + data().samples.size() + data().loop_positions.size();
}

std::uint64_t Trace::memory_bytes() const {
  const HostRanges& h = host_ranges();
  const Calls& c = calls();
  const DeviceOps& d = device_ops();
  const GraphNodes& g = data().graph_nodes;
  const Collectives& m = data().collectives;
  const Syncs& w = data().syncs;
  const Counters& n = data().counters;
  const Marks& k = data().marks;
  const Samples& p = data().samples;
  const LoopPositions& l = data().loop_positions;
  const State& s = *state_;
  return bytes_of_all(h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
                      h.forward_thread, h.parent) +
         bytes_of_all(c.range, c.api, c.correlation, c.stream, c.event, c.bytes) +
         bytes_of_all(d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph,
                      d.graph_node, d.bytes, d.copy_kind, d.source_memory, d.target_memory,
                      d.launch_config) +
         bytes_of_all(g.time, g.node, g.original, g.thread, g.site) +
         bytes_of_all(m.range, m.communicator, m.bytes, m.reduce, m.peer, m.ordinal) +
         bytes_of_all(w.begin, w.end, w.api, w.stream, w.correlation, w.awaited_correlation) +
         bytes_of_all(n.time, n.track, n.process, n.value) +
         bytes_of_all(k.time, k.name, k.thread) +
         bytes_of_all(p.time, p.thread, p.site, p.called, p.innermost, p.cpu, p.flags,
                      p.asleep_in) +
         bytes_of_all(l.time, l.thread, l.depth, l.flags, l.loop, l.caller, l.iteration) +
         bytes_of_all(s.stream_order, s.launch_of, s.launched, s.launched_rows);
}

}  // namespace stepscope
