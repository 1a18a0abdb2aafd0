// SPDX-License-Identifier: Apache-2.0
#include "core/store/reader/event_sections.hpp"

#include "core/store/reader/decode_table.hpp"

namespace stepscope::store {
namespace {

// A byte that names no value of its enumeration becomes `other`: newer writers may know more.
template <class Enum>
void limit(std::vector<Enum>& column, std::size_t from, Enum last, Enum other) {
  for (std::size_t i = from; i < column.size(); ++i) {
    if (column[i] > last) column[i] = other;
  }
}

}  // namespace

bool is_event_section(Section id) {
  return id >= Section::host_ranges && id <= Section::loop_positions;
}

EventSections::EventSections(Session& session, FileState& file)
    : session_(session),
      file_(file),
      out_(file.out),
      before_{out_.host_ranges.size(),   out_.calls.size(),       out_.device_ops.size(),
              out_.syncs.size(),         out_.counters.size(),    out_.marks.size(),
              out_.graph_nodes.size(),   out_.collectives.size(), out_.samples.size(),
              out_.loop_positions.size()} {}

bool EventSections::read(Section id, Bytes section) {
  switch (id) {
    case Section::host_ranges:
      return read_host_ranges(section);
    case Section::calls:
      return append(section, out_.calls);  // translated by finish()
    case Section::device_ops:
      return read_device_ops(section);
    case Section::syncs:
      return read_syncs(section);
    case Section::counters:
      return read_counters(section);
    case Section::marks:
      return read_marks(section);
    case Section::graph_nodes:
      return read_graph_nodes(section);
    case Section::collectives:
      return append(section, out_.collectives);  // translated by finish()
    case Section::samples:
      return read_samples(section);
    case Section::loop_positions:
      return read_loop_positions(section);
    case Section::open_ranges:
      return read_open(section);
    case Section::late_ends:
      return read_late_ends(section);
    default:
      return true;
  }
}

template <class Table>
bool EventSections::append(Bytes section, Table& table) {
  const StoredTable stored = read_table(section);
  return stored.ok && (stored.rows == 0 || decode_table(stored, table));
}

void EventSections::map_names(std::vector<StringId>& column, std::size_t from) {
  for (std::size_t i = from; i < column.size(); ++i) {
    const StringId id = session_.strings[column[i]];
    if (id == kNone) {
      ++file_.unknown_ids;
      column[i] = out_.strings.intern("(lost name)");
    } else {
      column[i] = id;
    }
  }
}

void EventSections::map_threads(std::vector<ThreadId>& column, std::size_t from) {
  for (std::size_t i = from; i < column.size(); ++i) {
    const ThreadId id = session_.threads[column[i]];
    if (id == kNone) ++file_.unknown_ids;
    column[i] = id == kNone ? file_.ids.lost_thread() : id;
  }
}

void EventSections::map_streams(std::vector<StreamId>& column, std::size_t from, bool may_be_none) {
  for (std::size_t i = from; i < column.size(); ++i) {
    if (may_be_none && column[i] == kNone) continue;
    const StreamId id = session_.streams[column[i]];
    if (id == kNone) ++file_.unknown_ids;
    column[i] = id == kNone ? file_.ids.lost_stream() : id;
  }
}

void EventSections::map_optional(std::vector<std::uint32_t>& column, std::size_t from,
                                 const IdMap& ids) {
  for (std::size_t i = from; i < column.size(); ++i) {
    if (column[i] == kNone) continue;
    column[i] = ids[column[i]];
    if (column[i] == kNone) ++file_.unknown_ids;
  }
}

bool EventSections::read_host_ranges(Bytes section) {
  HostRanges& h = out_.host_ranges;
  const std::size_t from = h.size();
  if (!append(section, h)) return false;
  map_names(h.name, from);
  map_names(h.category, from);
  map_threads(h.thread, from);
  map_optional(h.site, from, session_.sites);
  limit(h.kind, from, HostKind::other, HostKind::other);
  return true;
}

bool EventSections::read_device_ops(Bytes section) {
  DeviceOps& d = out_.device_ops;
  const std::size_t from = d.size();
  if (!append(section, d)) return false;
  map_names(d.name, from);
  map_streams(d.stream, from, false);
  map_optional(d.launch_config, from, session_.launch_configs);
  limit(d.kind, from, DeviceOpKind::other, DeviceOpKind::other);
  limit(d.copy_kind, from, CopyKind::peer, CopyKind::none);
  limit(d.source_memory, from, MemoryKind::managed, MemoryKind::unknown);
  limit(d.target_memory, from, MemoryKind::managed, MemoryKind::unknown);
  return true;
}

bool EventSections::read_syncs(Bytes section) {
  Syncs& s = out_.syncs;
  const std::size_t from = s.size();
  if (!append(section, s)) return false;
  map_streams(s.stream, from, true);
  limit(s.api, from, ApiKind::graph_build, ApiKind::other);
  return true;
}

bool EventSections::read_counters(Bytes section) {
  Counters& c = out_.counters;
  const std::size_t from = c.size();
  if (!append(section, c)) return false;
  map_names(c.track, from);
  for (std::size_t i = from; i < c.size(); ++i) {
    const ProcessId id = session_.processes[c.process[i]];
    c.process[i] = id == kNone ? file_.ids.own_process() : id;
  }
  return true;
}

bool EventSections::read_marks(Bytes section) {
  Marks& m = out_.marks;
  const std::size_t from = m.size();
  if (!append(section, m)) return false;
  map_names(m.name, from);
  map_threads(m.thread, from);
  return true;
}

bool EventSections::read_graph_nodes(Bytes section) {
  GraphNodes& g = out_.graph_nodes;
  const std::size_t from = g.size();
  if (!append(section, g)) return false;
  map_threads(g.thread, from);
  map_optional(g.site, from, session_.sites);
  return true;
}

bool EventSections::read_samples(Bytes section) {
  Samples& s = out_.samples;
  const std::size_t from = s.size();
  if (!append(section, s)) return false;
  map_threads(s.thread, from);
  map_optional(s.site, from, session_.sites);
  map_names(s.called, from);
  map_names(s.innermost, from);
  limit(s.asleep_in, from, AsleepIn::file, AsleepIn::unknown);
  return true;
}

bool EventSections::read_loop_positions(Bytes section) {
  LoopPositions& l = out_.loop_positions;
  const std::size_t from = l.size();
  if (!append(section, l)) return false;
  map_threads(l.thread, from);
  map_optional(l.loop, from, session_.sites);
  map_optional(l.caller, from, session_.sites);
  return true;
}

bool EventSections::read_open(Bytes section) {
  OpenRanges open;
  if (!append(section, open)) return false;
  map_names(open.name, 0);
  map_names(open.category, 0);
  map_threads(open.thread, 0);
  map_optional(open.site, 0, session_.sites);
  limit(open.kind, 0, HostKind::other, HostKind::other);
  session_.open = std::move(open);
  return true;
}

bool EventSections::read_late_ends(Bytes section) {
  const std::size_t from = file_.late_ends.size();
  if (!append(section, file_.late_ends)) return false;
  map_threads(file_.late_ends.thread, from);
  return true;
}

bool EventSections::finish() {
  const std::size_t host_rows = out_.host_ranges.size() - before_.host_ranges;
  return finish_calls(host_rows) && finish_collectives(host_rows);
}

bool EventSections::finish_calls(std::size_t host_rows) {
  Calls& c = out_.calls;
  for (std::size_t i = before_.calls; i < c.size(); ++i) {
    if (c.range[i] >= host_rows) return false;
    c.range[i] += static_cast<RangeId>(before_.host_ranges);
  }
  map_streams(c.stream, before_.calls, true);
  limit(c.api, before_.calls, ApiKind::graph_build, ApiKind::other);
  return true;
}

bool EventSections::finish_collectives(std::size_t host_rows) {
  Collectives& c = out_.collectives;
  for (std::size_t i = before_.collectives; i < c.size(); ++i) {
    if (c.range[i] >= host_rows) return false;
    c.range[i] += static_cast<RangeId>(before_.host_ranges);
  }
  limit(c.reduce, before_.collectives, ReduceOperation::other, ReduceOperation::other);
  return true;
}

void EventSections::rollback() {
  truncate(out_.host_ranges, before_.host_ranges);
  truncate(out_.calls, before_.calls);
  truncate(out_.device_ops, before_.device_ops);
  truncate(out_.syncs, before_.syncs);
  truncate(out_.counters, before_.counters);
  truncate(out_.marks, before_.marks);
  truncate(out_.graph_nodes, before_.graph_nodes);
  truncate(out_.collectives, before_.collectives);
  truncate(out_.samples, before_.samples);
  truncate(out_.loop_positions, before_.loop_positions);
}

}  // namespace stepscope::store
