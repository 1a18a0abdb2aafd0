// SPDX-License-Identifier: Apache-2.0
#include "core/exporters/tables.hpp"

#include <array>

#include "core/summary/parts.hpp"

namespace stepscope::exporting {

std::string_view host_kind(HostKind kind) {
  constexpr std::array<std::string_view, 12> kNames = {
      "op",           "backward_node", "user_scope", "nvtx_range", "python_function",
      "runtime_call", "driver_call",   "overhead",   "gc",         "off_cpu",
      "io",           "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view op_kind(DeviceOpKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"kernel", "memcpy", "memset", "graph",
                                                      "other"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view copy_direction(CopyKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"", "h2d", "d2h", "d2d", "h2h", "peer"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

using RowVisitor = std::function<void(const Values& row)>;
constexpr ColumnType kInteger = ColumnType::integer, kText = ColumnType::text;

template <class Number>
Value integer(Number number) {
  return static_cast<std::int64_t>(number);
}
// kNone and kUnknownBytes are empty.
Value known(std::uint32_t id) {
  return id == kNone ? Value() : Value(std::int64_t{id});
}
Value known_bytes(std::uint64_t bytes) {
  return bytes == kUnknownBytes ? Value() : integer(bytes);
}

void each_process(const Exported& run, const RowVisitor& row) {
  const auto& processes = run.trace.data().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Process& p = processes[i];
    row({integer(i), p.pid, p.rank < 0 ? Value() : integer(p.rank), std::string_view(p.name),
         std::string_view(p.host)});
  }
}

void each_thread(const Exported& run, const RowVisitor& row) {
  const auto& threads = run.trace.data().threads;
  for (std::size_t i = 0; i < threads.size(); ++i)
    row({integer(i), integer(threads[i].process), threads[i].tid,
         std::string_view(threads[i].name)});
}

void each_stream(const Exported& run, const RowVisitor& row) {
  const auto& streams = run.trace.data().streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const Stream& s = streams[i];
    row({integer(i), integer(s.process), integer(s.device), integer(s.context), integer(s.stream)});
  }
}

void each_device(const Exported& run, const RowVisitor& row) {
  for (const Device& d : run.trace.data().devices)
    row({integer(d.process), integer(d.index), std::string_view(d.name), integer(d.memory_bytes),
         integer(d.multiprocessors)});
}

void each_range(const Exported& run, const RowVisitor& row) {
  const HostRanges& h = run.trace.host_ranges();
  for (RangeId r = 0; r < h.size(); ++r) {
    const CallId call = run.trace.call_of(r);
    const bool sited = h.site[r] != kNone;
    const Site site = sited ? run.trace.data().sites[h.site[r]] : Site{};
    row({integer(r), integer(h.thread[r]), h.begin[r], h.end[r], host_kind(h.kind[r]),
         run.trace.text(h.name[r]), known(h.parent[r]),
         call == kNone ? Value() : integer(run.trace.calls().correlation[call]),
         sited ? Value(run.trace.text(site.file)) : Value(), sited ? integer(site.line) : Value()});
  }
}

void each_op(const Exported& run, const RowVisitor& row) {
  const DeviceOps& d = run.trace.device_ops();
  for (DeviceOpId op = 0; op < d.size(); ++op) {
    const CallId call = run.trace.launch_of(op);
    const OpOwner& owner = run.attribution.ops[op];
    row({integer(op), integer(d.stream[op]), d.begin[op], d.end[op], op_kind(d.kind[op]),
         run.trace.text(d.name[op]), integer(d.correlation[op]),
         call == kNone ? Value() : integer(run.trace.calls().range[call]), known_bytes(d.bytes[op]),
         copy_direction(d.copy_kind[op]), integer(d.graph[op]), name_of(owner.cause),
         integer(owner.phase)});
  }
}

void each_step(const Exported& run, const RowVisitor& row) {
  const summary_parts::Counting counting = summary_parts::choose_steps(run.steps);
  for (std::size_t i = 0; i < run.steps.list.size(); ++i) {
    const Step& s = run.steps.list[i];
    row({integer(i), s.id, s.window.begin, s.window.end,
         s.wall_known ? Value(s.wall_ns()) : Value(), integer(s.steady),
         integer(counting.counts[i] ? 1 : 0), std::string_view(s.why_not_steady)});
  }
}

// Phase 0 means that no phase was open.
std::string_view phase_name(const Exported& run, PhaseId phase) {
  const std::string& name = run.attribution.phases[phase].name;
  return name.empty() ? std::string_view("(no phase)") : std::string_view(name);
}

void each_phase(const Exported& run, const RowVisitor& row) {
  const auto& phases = run.attribution.phases;
  for (std::size_t i = 0; i < phases.size(); ++i)
    row({integer(i), i == 0 ? Value() : integer(phases[i].parent),
         phase_name(run, static_cast<PhaseId>(i))});
}

// The process's own partition, then one a device where it drives several.
template <class Each>
void each_partition(const Exported& run, const Each& each) {
  each(run.attribution.process);
  for (const Partition& partition : run.attribution.devices) each(partition);
}

void each_segment(const Exported& run, const RowVisitor& row) {
  each_partition(run, [&](const Partition& partition) {
    for (const Segment& s : partition.segments)
      row({known(partition.device), s.time.begin, s.time.end, name_of(s.cause), integer(s.phase),
           known(s.device_evidence), known(s.host_evidence)});
  });
}

void each_cell(const Exported& run, const RowVisitor& row) {
  each_partition(run, [&](const Partition& partition) {
    for (const Cell& c : partition.cells) {
      const bool sited = c.site != kNone;
      const Site site = sited ? run.trace.data().sites[c.site] : Site{};
      row({known(partition.device), integer(c.step), name_of(c.cause), phase_name(run, c.phase),
           sited ? Value(run.trace.text(site.file)) : Value(), sited ? integer(site.line) : Value(),
           c.direction == Direction::none ? Value() : Value(name_of(c.direction)), c.ns});
    }
  });
}

void each_counter(const Exported& run, const RowVisitor& row) {
  const Counters& c = run.trace.data().counters;
  for (std::size_t i = 0; i < c.size(); ++i)
    row({integer(c.process[i]), c.time[i], run.trace.text(c.track[i]), c.value[i]});
}

void each_mark(const Exported& run, const RowVisitor& row) {
  const Marks& m = run.trace.data().marks;
  for (std::size_t i = 0; i < m.size(); ++i)
    row({known(m.thread[i]), m.time[i], run.trace.text(m.name[i])});
}

}  // namespace

std::span<const Table> all_tables() {
  static const std::vector<Table> kTables = {
      {"cells",
       "the one exact table: ns of each step by cause, phase and line",
       {{"device", kInteger},
        {"step", kInteger},
        {"cause", kText},
        {"phase", kText},
        {"file", kText},
        {"line", kInteger},
        {"direction", kText},
        {"ns", kInteger}},
       each_cell},
      {"steps",
       "the steps, with those that do not count",
       {{"step", kInteger},
        {"id", kInteger},
        {"begin_ns", kInteger},
        {"end_ns", kInteger},
        {"wall_ns", kInteger},
        {"steady", kInteger},
        {"counted", kInteger},
        {"why_not_steady", kText}},
       each_step},
      {"segments",
       "who owned the time, moment by moment",
       {{"device", kInteger},
        {"begin_ns", kInteger},
        {"end_ns", kInteger},
        {"cause", kText},
        {"phase", kInteger},
        {"device_op", kInteger},
        {"host_range", kInteger}},
       each_segment},
      {"phases",
       "the phases' names",
       {{"phase", kInteger}, {"parent", kInteger}, {"name", kText}},
       each_phase},
      {"device_ops",
       "kernels, copies, sets and graphs",
       {{"device_op", kInteger},
        {"stream", kInteger},
        {"begin_ns", kInteger},
        {"end_ns", kInteger},
        {"kind", kText},
        {"name", kText},
        {"correlation", kInteger},
        {"launched_by", kInteger},
        {"bytes", kInteger},
        {"direction", kText},
        {"graph", kInteger},
        {"cause", kText},
        {"phase", kInteger}},
       each_op},
      {"host_ranges",
       "ops, ranges, calls and frames of host threads",
       {{"host_range", kInteger},
        {"thread", kInteger},
        {"begin_ns", kInteger},
        {"end_ns", kInteger},
        {"kind", kText},
        {"name", kText},
        {"parent", kInteger},
        {"correlation", kInteger},
        {"file", kText},
        {"line", kInteger}},
       each_range},
      {"processes",
       "the processes of the run",
       {{"process", kInteger},
        {"pid", kInteger},
        {"rank", kInteger},
        {"name", kText},
        {"host", kText}},
       each_process},
      {"threads",
       "their threads",
       {{"thread", kInteger}, {"process", kInteger}, {"tid", kInteger}, {"name", kText}},
       each_thread},
      {"streams",
       "their streams",
       {{"stream", kInteger},
        {"process", kInteger},
        {"device", kInteger},
        {"context", kInteger},
        {"number", kInteger}},
       each_stream},
      {"devices",
       "their devices",
       {{"process", kInteger},
        {"device", kInteger},
        {"name", kText},
        {"memory_bytes", kInteger},
        {"multiprocessors", kInteger}},
       each_device},
      {"counters",
       "sampled values",
       {{"process", kInteger},
        {"time_ns", kInteger},
        {"track", kText},
        {"value", ColumnType::real}},
       each_counter},
      {"marks",
       "instants",
       {{"thread", kInteger}, {"time_ns", kInteger}, {"name", kText}},
       each_mark},
  };
  return kTables;
}

}  // namespace stepscope::exporting
