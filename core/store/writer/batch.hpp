// SPDX-License-Identifier: Apache-2.0
// The content of one chunk of a store file: the model's event columns with ids of one StoreWriter.
//
// Columns of a table are equally long; a column left empty in a table with rows means its default
// in every row (0, or "not there" where the column knows that). Rows may come in any order; host
// ranges in order of (thread, begin) and device ops in order of begin give smaller files that load
// faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/model/events.hpp"
#include "core/store/writer/byte_sink.hpp"

namespace stepscope {

// Host ranges that had begun and not ended when the batch was closed: what a process was inside
// when it was killed. A batch's open ranges replace those of the writer's earlier batches, so a
// collector simply gives its open stacks, outer ranges first, with each batch. A reader ends what
// is still open after the last batch at the last time in the file, and says so.
struct OpenRanges {
  std::vector<std::int64_t> begin;
  std::vector<StringId> name;
  std::vector<ThreadId> thread;
  std::vector<HostKind> kind;
  std::vector<StringId> category;
  std::vector<SiteId> site;
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint32_t> lane;  // the stack it is on: see LateEnds

  std::size_t size() const { return begin.size(); }
  bool operator==(const OpenRanges&) const = default;
};

// Ends whose begin only an earlier writer of the same file knew (a launcher that empties a dead
// process's rings): each ends the innermost open range of its thread and lane.
struct LateEnds {
  std::vector<std::int64_t> time;
  std::vector<ThreadId> thread;
  std::vector<std::uint32_t> lane;

  std::size_t size() const { return time.size(); }
};

struct EventBatch {
  HostRanges host_ranges;   // parent is not stored
  Calls calls;              // range: the row in host_ranges of this batch
  Collectives collectives;  // range: likewise; ordinal is not stored
  DeviceOps device_ops;
  GraphNodes graph_nodes;
  Syncs syncs;
  Counters counters;
  Marks marks;
  Samples samples;
  LoopPositions loop_positions;
  OpenRanges open;
  LateEnds late_ends;

  std::size_t events() const {
    return host_ranges.size() + device_ops.size() + graph_nodes.size() + syncs.size() +
           counters.size() + marks.size() + samples.size() + loop_positions.size();
  }
};

// The most rows that a table of one batch may have. A collector writes far smaller ones.
inline constexpr std::size_t kMaxBatchRows = std::size_t{1} << 20U;

// Puts host ranges in order of (thread, begin), calls and collectives in that of their ranges,
// device ops in that of their begin. The batch must be sound: columns of equal length, calls and
// collectives of rows that exist.
void sort(EventBatch& batch);

// Removes all rows and keeps the memory, so that the next batch allocates nothing.
void clear(EventBatch& batch);

}  // namespace stepscope

namespace stepscope::store {

// From a batch's tables to sections of a chunk's payload, by the column list in columns.hpp.

// Returns what is wrong with a batch (columns of different lengths, too many rows), or nullptr.
const char* check(const EventBatch& batch);

// Appends a section for each table that has rows; sets the header's row counts and time span.
// as_listed: those of the batch, if any. none: ranges were open before, so that none are now must
// be said by an empty section. unchanged: the same as in the chunk before, which needs no section.
enum class OpenNow { as_listed, none, unchanged };
void encode_batch(const EventBatch& batch, OpenNow open, ByteSink& out, ChunkHeader& header);

}  // namespace stepscope::store
