// SPDX-License-Identifier: Apache-2.0
#include "core/model/row_order.hpp"

#include <map>
#include <tuple>

namespace stepscope {
namespace {

template <class T>
void permute(std::vector<T>& column, const RowOrder& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (std::uint32_t row : order) out.push_back(column[row]);
  column = std::move(out);
}

template <class... Columns>
void permute_all(const RowOrder& order, Columns&... columns) {
  (permute(columns, order), ...);
}

std::uint64_t correct_reversed(const std::vector<std::int64_t>& begin,
                               std::vector<std::int64_t>& end) {
  std::uint64_t corrected = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (end[i] >= begin[i]) continue;
    end[i] = begin[i];
    ++corrected;
  }
  return corrected;
}

RowOrder inverse(const RowOrder& order) {
  RowOrder out(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) out[order[i]] = i;
  return out;
}

void sort_host_ranges(TraceData& data) {
  HostRanges& h = data.host_ranges;
  const RowOrder order = sorted_order(h.size(), [&h](std::uint32_t a, std::uint32_t b) {
    return std::tuple(h.thread[a], h.begin[a], h.end[b]) <
           std::tuple(h.thread[b], h.begin[b], h.end[a]);
  });
  const RowOrder where = inverse(order);
  for (RangeId& range : data.calls.range) range = where[range];
  for (RangeId& range : data.collectives.range) range = where[range];
  permute_all(order, h.begin, h.end, h.name, h.thread, h.kind, h.category, h.site, h.sequence,
              h.forward_thread);
}

// A capture's rows come from several rings, each in order of time.
void sort_graph_nodes(GraphNodes& g) {
  const RowOrder order = sorted_order(
      g.size(), [&g](std::uint32_t a, std::uint32_t b) { return g.time[a] < g.time[b]; });
  permute_all(order, g.time, g.node, g.original, g.thread, g.site);
}

void sort_samples(Samples& s) {
  const RowOrder order = sorted_order(s.size(), [&s](std::uint32_t a, std::uint32_t b) {
    return std::tuple(s.thread[a], s.time[a]) < std::tuple(s.thread[b], s.time[b]);
  });
  permute_all(order, s.time, s.thread, s.site, s.called, s.innermost, s.cpu, s.flags, s.asleep_in);
}

void sort_loop_positions(LoopPositions& l) {
  const RowOrder order = sorted_order(l.size(), [&l](std::uint32_t a, std::uint32_t b) {
    return std::tuple(l.thread[a], l.time[a], a) < std::tuple(l.thread[b], l.time[b], b);
  });
  permute_all(order, l.time, l.thread, l.depth, l.flags, l.loop, l.caller, l.iteration);
}

bool is_point_to_point(std::string_view call) {
  return call.starts_with("ncclSend") || call.starts_with("ncclRecv");
}

void sort_collectives(Collectives& c) {
  const RowOrder order = sorted_order(
      c.size(), [&c](std::uint32_t a, std::uint32_t b) { return c.range[a] < c.range[b]; });
  permute_all(order, c.range, c.communicator, c.bytes, c.reduce, c.peer);
}

// Ranges are sorted by thread, so the calls of a process are put in order of their begin first.
void count_collectives(TraceData& data) {
  const HostRanges& h = data.host_ranges;
  Collectives& c = data.collectives;
  c.ordinal.assign(c.size(), 0);
  const RowOrder order = sorted_order(c.size(), [&](std::uint32_t a, std::uint32_t b) {
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
  const RowOrder order = sorted_order(
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

void take_device_ops(DeviceOps& d, const RowOrder& rows) {
  permute_all(rows, d.begin, d.end, d.name, d.kind, d.stream, d.correlation, d.graph, d.graph_node,
              d.bytes, d.copy_kind, d.source_memory, d.target_memory, d.launch_config);
}

// Ops without a time cannot be placed: they are counted and removed.
void sort_device_ops(TraceData& data) {
  DeviceOps& d = data.device_ops;
  RowOrder order = sorted_order(d.size(), [&d](std::uint32_t a, std::uint32_t b) {
    return std::tuple(d.begin[a], d.end[a]) < std::tuple(d.begin[b], d.end[b]);
  });
  data.health.zero_timestamps +=
      std::erase_if(order, [&d](std::uint32_t i) { return d.begin[i] == 0 || d.end[i] == 0; });
  take_device_ops(d, order);
}

}  // namespace

void erase_device_ops(DeviceOps& ops, const std::vector<bool>& gone) {
  RowOrder kept;
  for (DeviceOpId op = 0; op < ops.size(); ++op)
    if (!gone[op]) kept.push_back(op);
  take_device_ops(ops, kept);
}

void put_in_order(TraceData& data) {
  data.health.reversed_times += correct_reversed(data.host_ranges.begin, data.host_ranges.end);
  add_missing_threads(data);
  sort_host_ranges(data);
  add_missing_calls(data);
  sort_calls(data.calls);
  sort_collectives(data.collectives);
  count_collectives(data);
  sort_graph_nodes(data.graph_nodes);
  sort_samples(data.samples);
  sort_loop_positions(data.loop_positions);
  sort_device_ops(data);
  data.health.reversed_times += correct_reversed(data.device_ops.begin, data.device_ops.end);
}

// Nothing between a range and its own enclosing one outlives it, so these are stepped over
// together; each is stepped over once at most, since who did so hides it from all later ones.
std::vector<RangeId> enclosing_ranges(const HostRanges& ranges) {
  std::vector<RangeId> enclosing(ranges.size(), kNone);
  for (RangeId r = 0; r < ranges.size(); ++r) {
    RangeId around = ranges.parent[r];
    while (around != kNone && ranges.end[around] < ranges.end[r]) around = enclosing[around];
    enclosing[r] = around;
  }
  return enclosing;
}

}  // namespace stepscope
