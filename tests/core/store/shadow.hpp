// SPDX-License-Identifier: Apache-2.0
// A StoreWriter together with the TraceData that its file must load as, kept by other means: tests
// write through it and compare dumps.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/trace.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope {

class Shadow {
 public:
  explicit Shadow(StoreWriter& store) : store_(store) {
    expected.source = SourceKind::stepscope;
    expected.processes.emplace_back();
  }

  StringId intern(std::string_view text) {
    const StringId id = store_.intern(text);
    EXPECT_EQ(expected.strings.intern(text), id) << "ids are dense, in order of first use";
    return id;
  }
  ProcessId process(std::int64_t pid) {
    const ProcessId id = store_.process(pid);
    if (id == expected.processes.size()) expected.processes.push_back({.pid = pid});
    return id;
  }
  ThreadId thread(std::int64_t tid, ProcessId process = 0) {
    const ThreadId id = store_.thread(tid, process);
    if (id == expected.threads.size()) expected.threads.push_back({process, tid, {}});
    return id;
  }
  StreamId stream(std::uint32_t device, std::uint32_t context, std::uint32_t stream,
                  ProcessId process = 0) {
    const StreamId id = store_.stream(device, context, stream, process);
    if (id == expected.streams.size())
      expected.streams.push_back({process, device, context, stream, {}});
    return id;
  }
  SiteId site(const Site& site) {
    const SiteId id = store_.site(site);
    if (id == expected.sites.size()) expected.sites.push_back(site);
    return id;
  }
  LaunchConfigId launch_config(const LaunchConfig& config) {
    const LaunchConfigId id = store_.launch_config(config);
    if (id == expected.launch_configs.size()) expected.launch_configs.push_back(config);
    return id;
  }
  void describe(const Process& process, ProcessId id = 0) {
    intern(process.name);
    intern(process.host);
    for (const auto& [key, value] : process.facts) intern(key), intern(value);
    store_.describe(process, id);
    expected.processes[id] = process;
  }
  void name_thread(ThreadId id, const std::string& name) {
    intern(name);
    store_.name_thread(id, name);
    expected.threads[id].name = name;
  }
  void name_stream(StreamId id, const std::string& name) {
    intern(name);
    store_.name_stream(id, name);
    expected.streams[id].name = name;
  }
  void device(const Device& device) {
    intern(device.name);
    intern(device.uuid);
    store_.device(device);
    expected.devices.push_back(device);
  }
  void clock(const ClockRecord& record) {
    store_.clock(record);
    expected.clocks.push_back(record);
  }
  void health(const Health& totals) {
    for (const std::string& text : totals.rivals) intern(text);
    for (const std::string& text : totals.notes) intern(text);
    store_.health(totals);
    expected.health = totals;
  }
  void collected(const Collected& flags) {
    store_.collected(flags);
    expected.collected = flags;
  }

  void write(const EventBatch& b) {
    const Status status = store_.write(b);
    ASSERT_TRUE(status.ok()) << status.error().message;
    add(b);
  }
  void close(ExitReason reason, std::int32_t exit_status) {
    const Status status = store_.close(reason, exit_status);
    ASSERT_TRUE(status.ok()) << status.error().message;
    expected.processes[0].exit_reason = reason;
    expected.processes[0].exit_status = exit_status;
  }

  TraceData expected;

 private:
  template <class T>
  static void join(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  void add(const EventBatch& b) {
    const auto base = static_cast<RangeId>(expected.host_ranges.size());
    HostRanges& h = expected.host_ranges;
    join(h.begin, b.host_ranges.begin), join(h.end, b.host_ranges.end),
        join(h.name, b.host_ranges.name);
    join(h.thread, b.host_ranges.thread), join(h.kind, b.host_ranges.kind);
    join(h.category, b.host_ranges.category), join(h.site, b.host_ranges.site);
    join(h.sequence, b.host_ranges.sequence), join(h.forward_thread, b.host_ranges.forward_thread);
    Calls& c = expected.calls;
    for (RangeId range : b.calls.range) c.range.push_back(range + base);
    join(c.api, b.calls.api), join(c.correlation, b.calls.correlation),
        join(c.stream, b.calls.stream);
    join(c.event, b.calls.event), join(c.bytes, b.calls.bytes);
    DeviceOps& d = expected.device_ops;
    const DeviceOps& o = b.device_ops;
    join(d.begin, o.begin), join(d.end, o.end), join(d.name, o.name), join(d.kind, o.kind);
    join(d.stream, o.stream), join(d.correlation, o.correlation), join(d.graph, o.graph);
    join(d.graph_node, o.graph_node), join(d.bytes, o.bytes), join(d.copy_kind, o.copy_kind);
    join(d.source_memory, o.source_memory), join(d.target_memory, o.target_memory);
    join(d.launch_config, o.launch_config);
    Syncs& s = expected.syncs;
    join(s.begin, b.syncs.begin), join(s.end, b.syncs.end), join(s.api, b.syncs.api);
    join(s.stream, b.syncs.stream), join(s.correlation, b.syncs.correlation);
    join(s.awaited_correlation, b.syncs.awaited_correlation);
    join(expected.counters.time, b.counters.time), join(expected.counters.track, b.counters.track);
    join(expected.counters.process, b.counters.process),
        join(expected.counters.value, b.counters.value);
    join(expected.marks.time, b.marks.time), join(expected.marks.name, b.marks.name);
    join(expected.marks.thread, b.marks.thread);
    Collectives& m = expected.collectives;
    for (RangeId range : b.collectives.range) m.range.push_back(range + base);
    join(m.communicator, b.collectives.communicator), join(m.bytes, b.collectives.bytes);
    join(m.reduce, b.collectives.reduce), join(m.peer, b.collectives.peer);
    GraphNodes& g = expected.graph_nodes;
    join(g.time, b.graph_nodes.time), join(g.node, b.graph_nodes.node);
    join(g.original, b.graph_nodes.original), join(g.thread, b.graph_nodes.thread);
    join(g.site, b.graph_nodes.site);
    Samples& p = expected.samples;
    join(p.time, b.samples.time), join(p.thread, b.samples.thread), join(p.site, b.samples.site);
    join(p.called, b.samples.called), join(p.innermost, b.samples.innermost);
    join(p.cpu, b.samples.cpu), join(p.flags, b.samples.flags);
    join(p.asleep_in, b.samples.asleep_in);
    LoopPositions& l = expected.loop_positions;
    const LoopPositions& loops = b.loop_positions;
    join(l.time, loops.time), join(l.thread, loops.thread), join(l.depth, loops.depth);
    join(l.flags, loops.flags), join(l.loop, loops.loop), join(l.caller, loops.caller);
    join(l.iteration, loops.iteration);
  }

  StoreWriter& store_;
};

}  // namespace stepscope
