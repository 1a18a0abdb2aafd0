// SPDX-License-Identifier: Apache-2.0
#include "tests/core/store/dump.hpp"

#include <fmt/format.h>

namespace stepscope {
namespace {

class Dump {
 public:
  explicit Dump(const TraceData& data) : d_(data) {}

  std::string facts() {
    for (const Process& p : d_.processes) {
      line("process {} rank {}/{} '{}' on '{}' exit {} {}", p.pid, p.rank, p.world_size, p.name,
           p.host, static_cast<int>(p.exit_reason), p.exit_status);
      for (const auto& [key, value] : p.facts) line("  {} = {}", key, value);
    }
    for (const Device& v : d_.devices) {
      line("device {} of {} '{}' {} B {} SM {}.{} {}", v.index, pid(v.process), v.name,
           v.memory_bytes, v.multiprocessors, v.compute_major, v.compute_minor, v.uuid);
    }
    for (const ClockRecord& c : d_.clocks) {
      line("clock {} {} {} {} {}", pid(c.process), c.realtime_ns, c.monotonic_raw_ns, c.tsc,
           c.error_ns);
    }
    const Collected& c = d_.collected;
    line("collected {} {} {} {} {} {} {} {} {} {}", c.device_ops, c.api_calls, c.api_arguments,
         c.framework_ops, c.user_scopes, c.python_functions, c.call_sites, c.garbage_collection,
         c.off_cpu, c.io);
    const Health& h = d_.health;
    line("health {} {} {} {} {} {} {} {} {} {} {}", h.dropped_records, h.zero_timestamps,
         h.reversed_times, h.crossing_ranges, h.skipped_events, h.missing_fields, h.lost_chunks,
         h.lost_bytes, h.overhead_ns, h.sites_wanted, h.sites_found);
    for (const std::string& rival : h.rivals) line("rival {}", rival);
    for (const std::string& note : h.notes) line("note {}", note);
    const Samples& p = d_.samples;
    for (std::size_t i = 0; i < p.size(); ++i) {
      line("sample {} {} {} in '{}' '{}' cpu {} flags {}", p.time[i], thread(p.thread[i]),
           site(p.site[i]), text(p.called[i]), text(p.innermost[i]), p.cpu[i], p.flags[i]);
      if (p.asleep_in[i] != AsleepIn::unknown) line("  asleep in {}", int(p.asleep_in[i]));
    }
    const LoopPositions& l = d_.loop_positions;
    for (std::size_t i = 0; i < l.size(); ++i) {
      line("loop {} {} depth {} flags {} {} from {} iteration {}", l.time[i], thread(l.thread[i]),
           l.depth[i], l.flags[i], site(l.loop[i]), site(l.caller[i]), l.iteration[i]);
    }
    return std::move(out_);
  }

  std::string events() {
    const HostRanges& h = d_.host_ranges;
    for (std::size_t i = 0; i < h.size(); ++i) {
      line("range {} {} '{}' {} kind {} '{}' {} seq {} forward {}", h.begin[i], h.end[i],
           text(h.name[i]), thread(h.thread[i]), static_cast<int>(h.kind[i]), text(h.category[i]),
           site(h.site[i]), h.sequence[i], h.forward_thread[i]);
    }
    const Calls& c = d_.calls;
    for (std::size_t i = 0; i < c.size(); ++i) {
      line("call {} api {} correlation {} {} event {} bytes {}", c.range[i],
           static_cast<int>(c.api[i]), c.correlation[i], stream(c.stream[i]), c.event[i],
           c.bytes[i]);
    }
    const DeviceOps& o = d_.device_ops;
    for (std::size_t i = 0; i < o.size(); ++i) {
      line("op {} {} '{}' kind {} {} correlation {} graph {}.{} bytes {} copy {} {} {} {}",
           o.begin[i], o.end[i], text(o.name[i]), static_cast<int>(o.kind[i]), stream(o.stream[i]),
           o.correlation[i], o.graph[i], o.graph_node[i], o.bytes[i],
           static_cast<int>(o.copy_kind[i]), static_cast<int>(o.source_memory[i]),
           static_cast<int>(o.target_memory[i]), config(o.launch_config[i]));
    }
    const Syncs& s = d_.syncs;
    for (std::size_t i = 0; i < s.size(); ++i) {
      line("sync {} {} api {} {} {} {}", s.begin[i], s.end[i], static_cast<int>(s.api[i]),
           stream(s.stream[i]), s.correlation[i], s.awaited_correlation[i]);
    }
    for (std::size_t i = 0; i < d_.counters.size(); ++i) {
      line("counter {} '{}' {} {}", d_.counters.time[i], text(d_.counters.track[i]),
           pid(d_.counters.process[i]), d_.counters.value[i]);
    }
    for (std::size_t i = 0; i < d_.marks.size(); ++i) {
      line("mark {} '{}' {}", d_.marks.time[i], text(d_.marks.name[i]), thread(d_.marks.thread[i]));
    }
    const Collectives& m = d_.collectives;
    for (std::size_t i = 0; i < m.size(); ++i) {
      line("collective {} communicator {} bytes {} reduce {} peer {}", m.range[i],
           m.communicator[i], m.bytes[i], static_cast<int>(m.reduce[i]), m.peer[i]);
    }
    const GraphNodes& g = d_.graph_nodes;
    for (std::size_t i = 0; i < g.size(); ++i) {
      line("graph node {} {} from {} {} {}", g.time[i], g.node[i], g.original[i],
           thread(g.thread[i]), site(g.site[i]));
    }
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  // Anything but printable ASCII as \xNN, so that a dump is a text file.
  std::string text(StringId id) const {
    std::string out;
    for (const char c : d_.strings.view(id)) {
      out += c >= ' ' && c <= '~' ? std::string(1, c)
                                  : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return out;
  }
  std::int64_t pid(ProcessId id) const { return d_.processes.at(id).pid; }
  std::string thread(ThreadId id) const {
    const Thread& t = d_.threads.at(id);
    return fmt::format("thread {}/{} '{}'", pid(t.process), t.tid, t.name);
  }
  std::string stream(StreamId id) const {
    if (id == kNone) return "stream none";
    const Stream& s = d_.streams.at(id);
    return fmt::format("stream {}/{}/{}/{} '{}'", pid(s.process), s.device, s.context, s.stream,
                       s.name);
  }
  std::string site(SiteId id) const {
    if (id == kNone) return "site none";
    const Site& s = d_.sites.at(id);
    return fmt::format("site {}:{} {} {}", text(s.file), s.line, text(s.function),
                       static_cast<int>(s.kind));
  }
  std::string config(LaunchConfigId id) const {
    if (id == kNone) return "config none";
    const LaunchConfig& c = d_.launch_configs.at(id);
    return fmt::format("config {} {} {} / {} {} {} {} {}", c.grid[0], c.grid[1], c.grid[2],
                       c.block[0], c.block[1], c.block[2], c.registers_per_thread, c.shared_bytes);
  }

  const TraceData& d_;
  std::string out_;
};

}  // namespace

std::string dump_facts(const TraceData& data) {
  return Dump(data).facts();
}
std::string dump_events(const TraceData& data) {
  return Dump(data).events();
}
std::string dump(const TraceData& data) {
  return dump_facts(data) + dump_events(data);
}

}  // namespace stepscope
