// SPDX-License-Identifier: Apache-2.0
// A reader's state for one writer of a file: its ids, its running totals, its open ranges.
#pragma once

#include <cstdint>
#include <set>

#include "core/store/reader/byte_source.hpp"
#include "core/store/reader/file_ids.hpp"
#include "core/store/writer/batch.hpp"
#include "core/store/writer/pending.hpp"

namespace stepscope::store {

struct Session {
  IdMap strings;
  IdMap processes;
  IdMap threads;
  IdMap streams;
  IdMap sites;
  IdMap launch_configs;
  Health health;  // totals; the last chunk's count
  std::uint32_t collected = 0;
  OpenRanges open;  // with the trace's ids; the last snapshot counts
  std::uint64_t chunks = 0;
  std::uint32_t last_sequence = 0;
};

// Everything that decoding a chunk reaches for.
struct FileState {
  TraceData& out;
  SharedIds& shared;
  FileIds ids;
  std::map<std::uint32_t, Session> sessions;
  LateEnds late_ends;           // with the trace's thread ids
  std::uint64_t id_gap_budget;  // how many ids lost chunks may have defined: bounds hostile ids
  std::uint64_t skipped_sections = 0;
  std::uint64_t unknown_ids = 0;
  std::int64_t last_ns = 0;  // the latest time in all sound chunks
  bool has_footer = false;
};

// Reads one of the sections of dictionary entries and facts. False where it is malformed; sections
// that this version does not know are counted and true.
bool read_fact_section(Section id, ByteSource source, Session& session, FileState& file);

}  // namespace stepscope::store
