// SPDX-License-Identifier: Apache-2.0
// Batches with random values in every column, mixed from small, large, repeated and absent ones.
#pragma once

#include <random>

#include "tests/core/store/shadow.hpp"

namespace stepscope {

class RandomBatch {
 public:
  explicit RandomBatch(std::uint64_t seed) : random_(seed) {}

  // All ids come from the store, so the batch is sound.
  EventBatch make(Shadow& store, std::size_t most_rows) {
    EventBatch b;
    host_ranges(store, below(most_rows + 1), b.host_ranges);
    calls(store, b.host_ranges.size(), b.calls);
    device_ops(store, below(most_rows + 1), b.device_ops);
    syncs(store, below(most_rows / 4 + 1), b.syncs);
    counters(store, below(most_rows / 4 + 1), b.counters);
    marks(store, below(most_rows / 4 + 1), b.marks);
    collectives(b.host_ranges.size(), b.collectives);
    graph_nodes(store, below(most_rows / 4 + 1), b.graph_nodes);
    samples(store, below(most_rows / 4 + 1), b.samples);
    loop_positions(store, below(most_rows / 4 + 1), b.loop_positions);
    return b;
  }

  std::uint64_t below(std::uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }

  // Any 64-bit value, small ones often.
  std::uint64_t value64() { return random_() >> below(64); }
  std::uint32_t value32() { return static_cast<std::uint32_t>(random_()) >> below(32); }
  std::int64_t time() {
    return below(50) == 0 ? static_cast<std::int64_t>(value64()) * (below(2) == 0 ? -1 : 1)
                          : (at_ += static_cast<std::int64_t>(below(5000)) - 500);
  }
  std::string text() {
    std::string out;
    for (std::uint64_t n = below(12); n > 0; --n) out += static_cast<char>(below(256));
    return below(40) == 0 ? out + std::string(below(3000), 'x') : out;
  }

 private:
  template <class Enum>
  Enum any(Enum last) {
    return static_cast<Enum>(below(static_cast<std::uint64_t>(last) + 1));
  }
  std::uint32_t or_none(std::uint32_t id) { return below(3) == 0 ? kNone : id; }
  StringId name(Shadow& s) {
    return s.intern(below(4) == 0 ? text() : "op " + std::to_string(below(9)));
  }
  ProcessId process(Shadow& s) {
    const std::uint64_t n = below(3);
    return n == 0 ? 0 : s.process(static_cast<std::int64_t>(4000 + n));
  }
  ThreadId thread(Shadow& s) {
    return s.thread(static_cast<std::int64_t>(below(5)) - 2, process(s));
  }
  StreamId stream(Shadow& s) {
    return s.stream(static_cast<std::uint32_t>(below(2)), 1, value32() % 5, process(s));
  }
  SiteId site(Shadow& s) { return s.site({name(s), value32(), name(s), any(SiteKind::function)}); }
  LaunchConfigId config(Shadow& s) {
    return s.launch_config(
        {{value32(), 1, 1}, {static_cast<std::uint32_t>(below(3)), 1, 1}, value32(), value32()});
  }

  void host_ranges(Shadow& s, std::size_t rows, HostRanges& h) {
    while (rows-- > 0) {
      h.begin.push_back(time());
      h.end.push_back(time());
      h.name.push_back(name(s));
      h.thread.push_back(thread(s));
      h.kind.push_back(any(HostKind::other));
      h.category.push_back(below(2) == 0 ? 0 : name(s));
      h.site.push_back(or_none(site(s)));
      h.sequence.push_back(or_none(value32()));
      h.forward_thread.push_back(or_none(value32()));
    }
  }
  void calls(Shadow& s, std::size_t host_rows, Calls& c) {
    for (RangeId range = 0; range < host_rows; ++range) {
      if (below(3) != 0) continue;
      c.range.push_back(range);
      c.api.push_back(any(ApiKind::graph_build));
      c.correlation.push_back(value32());
      c.stream.push_back(or_none(stream(s)));
      c.event.push_back(value64());
      c.bytes.push_back(below(2) == 0 ? kUnknownBytes : value64());
    }
  }
  void device_ops(Shadow& s, std::size_t rows, DeviceOps& d) {
    while (rows-- > 0) {
      d.begin.push_back(time());
      d.end.push_back(time());
      d.name.push_back(name(s));
      d.kind.push_back(any(DeviceOpKind::other));
      d.stream.push_back(stream(s));
      d.correlation.push_back(value32());
      d.graph.push_back(value32());
      d.graph_node.push_back(value64());
      d.bytes.push_back(below(2) == 0 ? kUnknownBytes : value64());
      d.copy_kind.push_back(any(CopyKind::peer));
      d.source_memory.push_back(any(MemoryKind::managed));
      d.target_memory.push_back(any(MemoryKind::managed));
      d.launch_config.push_back(or_none(config(s)));
    }
  }
  void syncs(Shadow& s, std::size_t rows, Syncs& y) {
    while (rows-- > 0) {
      y.begin.push_back(time());
      y.end.push_back(time());
      y.api.push_back(any(ApiKind::graph_build));
      y.stream.push_back(or_none(stream(s)));
      y.correlation.push_back(value32());
      y.awaited_correlation.push_back(value32());
    }
  }
  void counters(Shadow& s, std::size_t rows, Counters& c) {
    while (rows-- > 0) {
      c.time.push_back(time());
      c.track.push_back(name(s));
      c.process.push_back(process(s));
      c.value.push_back(static_cast<double>(value64()) / 7);
    }
  }
  void marks(Shadow& s, std::size_t rows, Marks& m) {
    while (rows-- > 0) {
      m.time.push_back(time());
      m.name.push_back(name(s));
      m.thread.push_back(thread(s));
    }
  }

  void collectives(std::size_t host_rows, Collectives& c) {
    for (RangeId range = 0; range < host_rows; ++range) {
      if (below(4) != 0) continue;
      c.range.push_back(range);
      c.communicator.push_back(value64());
      c.bytes.push_back(below(2) == 0 ? kUnknownBytes : value64());
      c.reduce.push_back(any(ReduceOperation::other));
      c.peer.push_back(or_none(value32()));
    }
  }
  void graph_nodes(Shadow& s, std::size_t rows, GraphNodes& g) {
    while (rows-- > 0) {
      g.time.push_back(time());
      g.node.push_back(value64());
      g.original.push_back(below(2) == 0 ? 0 : value64());
      g.thread.push_back(thread(s));
      g.site.push_back(or_none(site(s)));
    }
  }
  void samples(Shadow& s, std::size_t rows, Samples& p) {
    while (rows-- > 0) {
      p.time.push_back(time());
      p.thread.push_back(thread(s));
      p.site.push_back(or_none(site(s)));
      p.called.push_back(below(2) == 0 ? 0 : name(s));
      p.innermost.push_back(below(2) == 0 ? 0 : name(s));
      p.cpu.push_back(value64());
      p.flags.push_back(static_cast<std::uint8_t>(below(128)));
      p.asleep_in.push_back(any(AsleepIn::file));
    }
  }

  void loop_positions(Shadow& s, std::size_t rows, LoopPositions& l) {
    while (rows-- > 0) {
      l.time.push_back(time());
      l.thread.push_back(thread(s));
      l.depth.push_back(static_cast<std::uint8_t>(below(16)));
      l.flags.push_back(static_cast<std::uint8_t>(below(16)));
      l.loop.push_back(or_none(site(s)));
      l.caller.push_back(or_none(site(s)));
      l.iteration.push_back(static_cast<std::int64_t>(value64()));
    }
  }

  std::mt19937_64 random_;
  std::int64_t at_ = 1'700'000'000'000'000'000;
};

}  // namespace stepscope
