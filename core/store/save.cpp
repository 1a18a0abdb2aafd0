// SPDX-License-Identifier: Apache-2.0
#include "core/store/save.hpp"

#include <algorithm>

namespace stepscope {
namespace {

// Rows [from, to) of a column, by way of `map`.
template <class T, class Map>
void copy_rows(const std::vector<T>& in, std::size_t from, std::size_t to, std::vector<T>& out,
               Map map) {
  out.resize(to - from);
  std::transform(in.begin() + static_cast<std::ptrdiff_t>(from),
                 in.begin() + static_cast<std::ptrdiff_t>(to), out.begin(), map);
}

constexpr auto kSame = [](auto value) { return value; };

// Trace ids -> ids of the writer.
struct Ids {
  std::vector<StringId> strings;
  std::vector<ProcessId> processes;
  std::vector<ThreadId> threads;
  std::vector<StreamId> streams;
  std::vector<SiteId> sites;
  std::vector<LaunchConfigId> launch_configs;
};

auto through(const std::vector<std::uint32_t>& ids) {
  return [&ids](std::uint32_t id) { return id == kNone ? kNone : ids[id]; };
}

Ids hand_out_ids(const TraceData& data, StoreWriter& store) {
  Ids ids;
  for (StringId id = 0; id < data.strings.size(); ++id) {
    ids.strings.push_back(store.intern(data.strings.view(id)));
  }
  for (const Process& p : data.processes) {
    const bool first = ids.processes.empty();
    ids.processes.push_back(first ? 0 : store.process(p.pid));
    store.describe(p, ids.processes.back());
  }
  for (const Thread& t : data.threads) {
    ids.threads.push_back(store.thread(t.tid, ids.processes[t.process]));
    if (!t.name.empty()) store.name_thread(ids.threads.back(), t.name);
  }
  for (const Stream& s : data.streams) {
    ids.streams.push_back(store.stream(s.device, s.context, s.stream, ids.processes[s.process]));
    if (!s.name.empty()) store.name_stream(ids.streams.back(), s.name);
  }
  for (const Site& s : data.sites) {
    ids.sites.push_back(store.site({ids.strings[s.file], s.line, ids.strings[s.function], s.kind}));
  }
  for (const LaunchConfig& c : data.launch_configs)
    ids.launch_configs.push_back(store.launch_config(c));
  return ids;
}

void tell_facts(const TraceData& data, const Ids& ids, StoreWriter& store) {
  for (Device d : data.devices) {
    d.process = ids.processes[d.process];
    store.device(d);
  }
  for (ClockRecord c : data.clocks) {
    c.process = ids.processes[c.process];
    store.clock(c);
  }
  store.collected(data.collected);
  store.health(data.health);
}

class Slicer {
 public:
  Slicer(const TraceData& data, const Ids& ids) : data_(data), ids_(ids) {}

  void host(std::size_t from, std::size_t to, EventBatch& batch) const {
    const HostRanges& in = data_.host_ranges;
    HostRanges& out = batch.host_ranges;
    copy_rows(in.begin, from, to, out.begin, kSame);
    copy_rows(in.end, from, to, out.end, kSame);
    copy_rows(in.name, from, to, out.name, through(ids_.strings));
    copy_rows(in.thread, from, to, out.thread, through(ids_.threads));
    copy_rows(in.kind, from, to, out.kind, kSame);
    copy_rows(in.category, from, to, out.category, through(ids_.strings));
    copy_rows(in.site, from, to, out.site, through(ids_.sites));
    copy_rows(in.sequence, from, to, out.sequence, kSame);
    copy_rows(in.forward_thread, from, to, out.forward_thread, kSame);
    calls(from, to, batch);
    collectives(from, to, batch);
  }

  void device(std::size_t from, std::size_t to, EventBatch& batch) const {
    const DeviceOps& in = data_.device_ops;
    DeviceOps& out = batch.device_ops;
    copy_rows(in.begin, from, to, out.begin, kSame);
    copy_rows(in.end, from, to, out.end, kSame);
    copy_rows(in.name, from, to, out.name, through(ids_.strings));
    copy_rows(in.kind, from, to, out.kind, kSame);
    copy_rows(in.stream, from, to, out.stream, through(ids_.streams));
    copy_rows(in.correlation, from, to, out.correlation, kSame);
    copy_rows(in.graph, from, to, out.graph, kSame);
    copy_rows(in.graph_node, from, to, out.graph_node, kSame);
    copy_rows(in.bytes, from, to, out.bytes, kSame);
    copy_rows(in.copy_kind, from, to, out.copy_kind, kSame);
    copy_rows(in.source_memory, from, to, out.source_memory, kSame);
    copy_rows(in.target_memory, from, to, out.target_memory, kSame);
    copy_rows(in.launch_config, from, to, out.launch_config, through(ids_.launch_configs));
  }

  void others(EventBatch& batch) const {
    batch.syncs = data_.syncs;
    copy_rows(data_.syncs.stream, 0, data_.syncs.size(), batch.syncs.stream, through(ids_.streams));
    batch.counters = data_.counters;
    copy_rows(data_.counters.track, 0, data_.counters.size(), batch.counters.track,
              through(ids_.strings));
    copy_rows(data_.counters.process, 0, data_.counters.size(), batch.counters.process,
              through(ids_.processes));
    batch.marks = data_.marks;
    copy_rows(data_.marks.name, 0, data_.marks.size(), batch.marks.name, through(ids_.strings));
    copy_rows(data_.marks.thread, 0, data_.marks.size(), batch.marks.thread, through(ids_.threads));
    const GraphNodes& nodes = data_.graph_nodes;
    batch.graph_nodes = nodes;
    copy_rows(nodes.thread, 0, nodes.size(), batch.graph_nodes.thread, through(ids_.threads));
    copy_rows(nodes.site, 0, nodes.size(), batch.graph_nodes.site, through(ids_.sites));
    const Samples& samples = data_.samples;
    Samples& out = batch.samples;
    out = samples;
    copy_rows(samples.thread, 0, samples.size(), out.thread, through(ids_.threads));
    copy_rows(samples.site, 0, samples.size(), out.site, through(ids_.sites));
    copy_rows(samples.called, 0, samples.size(), out.called, through(ids_.strings));
    copy_rows(samples.innermost, 0, samples.size(), out.innermost, through(ids_.strings));
    const LoopPositions& loops = data_.loop_positions;
    batch.loop_positions = loops;
    copy_rows(loops.thread, 0, loops.size(), batch.loop_positions.thread, through(ids_.threads));
    copy_rows(loops.loop, 0, loops.size(), batch.loop_positions.loop, through(ids_.sites));
    copy_rows(loops.caller, 0, loops.size(), batch.loop_positions.caller, through(ids_.sites));
  }

 private:
  // The first row whose range is `range` or later: a built trace has rows in order of their range.
  static std::size_t row_of(const std::vector<RangeId>& ranges, std::size_t range) {
    return static_cast<std::size_t>(std::lower_bound(ranges.begin(), ranges.end(), range) -
                                    ranges.begin());
  }

  // The calls among the host ranges [from, to).
  void calls(std::size_t from, std::size_t to, EventBatch& batch) const {
    const Calls& in = data_.calls;
    const std::size_t a = row_of(in.range, from);
    const std::size_t b = row_of(in.range, to);
    Calls& out = batch.calls;
    copy_rows(in.range, a, b, out.range,
              [from](RangeId range) { return static_cast<RangeId>(range - from); });
    copy_rows(in.api, a, b, out.api, kSame);
    copy_rows(in.correlation, a, b, out.correlation, kSame);
    copy_rows(in.stream, a, b, out.stream, through(ids_.streams));
    copy_rows(in.event, a, b, out.event, kSame);
    copy_rows(in.bytes, a, b, out.bytes, kSame);
  }

  void collectives(std::size_t from, std::size_t to, EventBatch& batch) const {
    const Collectives& in = data_.collectives;
    const std::size_t a = row_of(in.range, from);
    const std::size_t b = row_of(in.range, to);
    Collectives& out = batch.collectives;
    copy_rows(in.range, a, b, out.range,
              [from](RangeId range) { return static_cast<RangeId>(range - from); });
    copy_rows(in.communicator, a, b, out.communicator, kSame);
    copy_rows(in.bytes, a, b, out.bytes, kSame);
    copy_rows(in.reduce, a, b, out.reduce, kSame);
    copy_rows(in.peer, a, b, out.peer, kSame);
  }

  const TraceData& data_;
  const Ids& ids_;
};

}  // namespace

Status for_each_batch(const TraceData& data, std::size_t batch_rows, StoreWriter& store,
                      const BatchSink& sink) {
  const Ids ids = hand_out_ids(data, store);
  tell_facts(data, ids, store);
  const Slicer slicer(data, ids);
  const std::size_t host_rows = data.host_ranges.size();
  const std::size_t device_rows = data.device_ops.size();
  EventBatch batch;
  slicer.others(batch);
  for (std::size_t at = 0; at < std::max(host_rows, device_rows); at += batch_rows) {
    slicer.host(std::min(at, host_rows), std::min(at + batch_rows, host_rows), batch);
    slicer.device(std::min(at, device_rows), std::min(at + batch_rows, device_rows), batch);
    if (Status status = sink(batch); !status.ok()) return status;
    clear(batch);
  }
  return batch.events() == 0 ? Status(Done{}) : sink(batch);
}

Status save(const Trace& trace, const std::string& path, const SaveOptions& options) {
  Result<StoreWriter> made = StoreWriter::create(path, options.store);
  if (!made.ok()) return made.error();
  StoreWriter& store = *made;
  const TraceData& data = trace.data();
  Status saved = for_each_batch(data, options.batch_rows, store,
                                [&store](const EventBatch& batch) { return store.write(batch); });
  if (!saved.ok()) return saved;
  const Process first = data.processes.empty() ? Process{} : data.processes.front();
  return store.close(first.exit_reason, first.exit_status);
}

}  // namespace stepscope
