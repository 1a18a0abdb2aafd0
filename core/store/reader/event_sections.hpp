// SPDX-License-Identifier: Apache-2.0
// Reads the event tables of one chunk into the trace and translates their ids. A chunk counts whole
// or not at all: rollback() removes what a malformed one had appended.
#pragma once

#include "core/store/reader/session.hpp"

namespace stepscope::store {

class EventSections {
 public:
  EventSections(Session& session, FileState& file);

  bool read(Section id, Bytes section);  // false where malformed
  // After the last section: calls and collectives need their host ranges.
  bool finish();
  void rollback();

 private:
  struct Sizes {
    std::size_t host_ranges, calls, device_ops, syncs, counters, marks, graph_nodes, collectives,
        samples, loop_positions;
  };
  template <class Table>
  bool append(Bytes section, Table& table);
  bool read_host_ranges(Bytes section);
  bool read_device_ops(Bytes section);
  bool read_syncs(Bytes section);
  bool read_counters(Bytes section);
  bool read_marks(Bytes section);
  bool read_graph_nodes(Bytes section);
  bool read_samples(Bytes section);
  bool read_loop_positions(Bytes section);
  bool read_open(Bytes section);
  bool read_late_ends(Bytes section);

  bool finish_calls(std::size_t host_rows);
  bool finish_collectives(std::size_t host_rows);

  void map_names(std::vector<StringId>& column, std::size_t from);
  void map_threads(std::vector<ThreadId>& column, std::size_t from);
  void map_streams(std::vector<StreamId>& column, std::size_t from, bool may_be_none);
  void map_optional(std::vector<std::uint32_t>& column, std::size_t from, const IdMap& ids);

  Session& session_;
  FileState& file_;
  TraceData& out_;
  Sizes before_;
};

bool is_event_section(Section id);

}  // namespace stepscope::store
