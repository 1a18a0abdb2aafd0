// SPDX-License-Identifier: Apache-2.0
#include "core/model/trace.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "core/model/launches.hpp"

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

using Order = std::vector<std::uint32_t>;

template <class Less>
Order sorted_order(std::size_t rows, Less less) {
  Order order(rows);
  std::iota(order.begin(), order.end(), 0U);
  if (!std::is_sorted(order.begin(), order.end(), less)) {
    std::stable_sort(order.begin(), order.end(), less);
  }
  return order;
}

template <class T>
void permute(std::vector<T>& column, const Order& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (std::uint32_t row : order) out.push_back(column[row]);
  column = std::move(out);
}

template <class... Columns>
void permute_all(const Order& order, Columns&... columns) {
  (permute(columns, order), ...);
}

std::uint64_t mend_reversed(const std::vector<std::int64_t>& begin,
                            std::vector<std::int64_t>& end) {
  std::uint64_t mended = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (end[i] >= begin[i]) continue;
    end[i] = begin[i];
    ++mended;
  }
  return mended;
}

Order inverse(const Order& order) {
  Order out(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) out[order[i]] = i;
  return out;
}

void sort_host_ranges(TraceData& data) {
  HostRanges& h = data.host_ranges;
  const Order order = sorted_order(h.size(), [&h](std::uint32_t a, std::uint32_t b) {
    return std::tuple(h.thread[a], h.begin[a], h.end[b]) <
           std::tuple(h.thread[b], h.begin[b], h.end[a]);
  });
  const Order where = inverse(order);
  for (RangeId& range : data.calls.range) range = where[range];
  for (RangeId& range : data.collectives.range) range = where[range];
  permute_all(order, h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
              h.forward_thread);
}

// A capture's rows come from several rings, each in order of time.
void sort_graph_nodes(GraphNodes& g) {
  const Order order = sorted_order(
      g.size(), [&g](std::uint32_t a, std::uint32_t b) { return g.time[a] < g.time[b]; });
  permute_all(order, g.time, g.node, g.original, g.thread, g.site);
}

void sort_samples(Samples& s) {
  const Order order = sorted_order(s.size(), [&s](std::uint32_t a, std::uint32_t b) {
    return std::tuple(s.thread[a], s.time[a]) < std::tuple(s.thread[b], s.time[b]);
  });
  permute_all(order, s.time, s.thread, s.site, s.called, s.innermost, s.cpu, s.flags);
}

bool is_point_to_point(std::string_view call) {
  return call.starts_with("ncclSend") || call.starts_with("ncclRecv");
}

void sort_collectives(Collectives& c) {
  const Order order = sorted_order(
      c.size(), [&c](std::uint32_t a, std::uint32_t b) { return c.range[a] < c.range[b]; });
  permute_all(order, c.range, c.communicator, c.bytes, c.reduce, c.peer);
}

// Ranges are sorted by thread, so the calls of a process are put in order of their begin first.
void count_collectives(TraceData& data) {
  const HostRanges& h = data.host_ranges;
  Collectives& c = data.collectives;
  c.ordinal.assign(c.size(), 0);
  const Order order = sorted_order(c.size(), [&](std::uint32_t a, std::uint32_t b) {
    return h.begin[c.range[a]] < h.begin[c.range[b]];
  });
  std::map<std::tuple<ProcessId, std::uint64_t, bool>, std::uint32_t> next;
  for (const std::uint32_t row : order) {
    const RangeId range = c.range[row];
    const ProcessId process = data.threads[h.thread[range]].process;
    const bool point = is_point_to_point(data.strings.view(h.name[range]));
    c.ordinal[row] = next[{process, c.communicator[row], point}]++;
  }
}

// A call that was still open when its process died has a range and no row of its own.
void add_missing_calls(TraceData& data) {
  const HostRanges& h = data.host_ranges;
  Calls& c = data.calls;
  std::vector<bool> known(h.size());
  for (const RangeId range : c.range) known[range] = true;
  for (RangeId range = 0; range < h.size(); ++range) {
    if (known[range] || family_of(h.kind[range]) != HostFamily::api) continue;
    c.range.push_back(range);
    c.api.push_back(classify_api(data.strings.view(h.name[range])));
    c.correlation.push_back(0);
    c.stream.push_back(kNone);
    c.event.push_back(0);
    c.bytes.push_back(kUnknownBytes);
  }
}

void sort_calls(Calls& c) {
  const Order order = sorted_order(
      c.size(), [&c](std::uint32_t a, std::uint32_t b) { return c.range[a] < c.range[b]; });
  permute_all(order, c.range, c.api, c.correlation, c.stream, c.event, c.bytes);
}

// The device's records alone name no thread; whoever reads steps relies on the loop's.
void add_missing_threads(TraceData& data) {
  std::vector<bool> known(data.processes.size());
  for (const Thread& thread : data.threads) known[thread.process] = true;
  for (const Stream& stream : data.streams) {
    if (known[stream.process]) continue;
    known[stream.process] = true;
    data.threads.push_back(
        {.process = stream.process, .tid = data.processes[stream.process].pid, .name = {}});
  }
}

// Ops without a time cannot be placed: they are counted and removed.
void sort_device_ops(TraceData& data) {
  DeviceOps& d = data.device_ops;
  Order order = sorted_order(d.size(), [&d](std::uint32_t a, std::uint32_t b) {
    return std::tuple(d.begin[a], d.end[a]) < std::tuple(d.begin[b], d.end[b]);
  });
  data.health.zero_timestamps +=
      std::erase_if(order, [&d](std::uint32_t i) { return d.begin[i] == 0 || d.end[i] == 0; });
  permute_all(order, d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph, d.graph_node,
              d.bytes, d.copy_kind, d.source_memory, d.target_memory, d.launch_config);
}

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
  data.health.reversed_times += mend_reversed(data.host_ranges.begin, data.host_ranges.end);
  add_missing_threads(data);
  sort_host_ranges(data);
  add_missing_calls(data);
  sort_calls(data.calls);
  sort_collectives(data.collectives);
  count_collectives(data);
  sort_graph_nodes(data.graph_nodes);
  sort_samples(data.samples);
  sort_device_ops(data);
  data.health.reversed_times += mend_reversed(data.device_ops.begin, data.device_ops.end);
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
  const std::vector<Process>& processes = data().processes;
  return device_ops().size() > 0 ||
         std::any_of(processes.begin(), processes.end(),
                     [](const Process& p) { return p.facts.contains("cuda"); });
}

std::uint64_t Trace::event_count() const {
  return host_ranges().size() + device_ops().size() + data().syncs.size() + data().counters.size() +
         data().marks.size() + data().samples.size();
}

std::uint64_t Trace::memory_bytes() const {
  const HostRanges& h = host_ranges();
  const Calls& c = calls();
  const DeviceOps& d = device_ops();
  const GraphNodes& g = data().graph_nodes;
  const Collectives& m = data().collectives;
  const State& s = *state_;
  return bytes_of_all(h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
                      h.forward_thread, h.parent) +
         bytes_of_all(c.range, c.api, c.correlation, c.stream, c.event, c.bytes) +
         bytes_of_all(d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph,
                      d.graph_node, d.bytes, d.copy_kind, d.source_memory, d.target_memory,
                      d.launch_config) +
         bytes_of_all(g.time, g.node, g.original, g.thread, g.site) +
         bytes_of_all(m.range, m.communicator, m.bytes, m.reduce, m.peer, m.ordinal) +
         bytes_of_all(s.stream_order, s.launch_of, s.launched, s.launched_rows);
}

}  // namespace stepscope
