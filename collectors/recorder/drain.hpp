// SPDX-License-Identifier: Apache-2.0
// From rings to the store: pairs begin with end, turns ticks into nanoseconds, and writes batches.
// Used by the writer thread of a live process and, on the files of a dead one, by the launcher.
//
// A ring's tail moves only after the chunk with its records was written, so a process killed while
// writing loses nothing. (Killed between the two, its last batch would come twice: some nanoseconds
// in each flush.) Rows of a batch are in the order of (ring, begin); a range still open at the end
// of a batch is taken out of it and given again as an open range.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/dictionary.hpp"
#include "collectors/recorder/row_source.hpp"
#include "core/store/writer.hpp"

namespace stepscope::recorder {

class Drain {
 public:
  Drain(SessionView session, StoreWriter& store, TickConverter& clock);

  // Everything published so far. Call flush() behind the last ring.
  void take(RingHeader& ring);
  // Rows of a source that makes its own; true where it has more. Call flush() behind it.
  bool take(RowSource& source, bool last);
  // Forgets a ring whose thread has ended and whose records are all taken and flushed.
  void forget(RingHeader& ring);
  // By the user's plan nothing is taken from then on, or again. What was open in a CUDA call ends
  // with the first: its own end may never be told.
  void capture_closed(std::int64_t time, double state);
  void capture_opened(std::int64_t time, double state);
  // Clock records, log rows, counters and the batch.
  Status flush();

 private:
  static constexpr std::size_t kBatchRows = 16384;

  struct Open {
    std::int64_t begin;
    NameId name;
    NameId category;
    SiteRef site;
    std::uint32_t sequence;
    HostKind kind;
    std::uint32_t row;  // in this batch, or kNone: begun in an earlier one
    std::uint16_t call_code = 0;
    bool is_call = false;
    CallSlot call{};
    bool has_message = false;
    CollectiveSlot message{};
    std::uint32_t peer = kNone;
    ReduceOperation reduce = ReduceOperation::none;
  };
  struct Counts {
    std::uint64_t dropped = 0, wanted = 0, found = 0;
  };
  struct Source {  // one ring
    ThreadId thread = 0;
    StringId cpu_track = 0;
    std::uint64_t taken = 0;  // slots, at least the ring's tail
    Counts counted;           // of the ring, as given to the store
    std::array<std::vector<Open>, kMaxLanes> lanes;
  };
  struct ProcessRange {
    Open open;
    ThreadId thread;
  };
  struct EarlyEnd {  // its begin is in a ring not yet read
    std::uint64_t id;
    std::int64_t time;
    int rounds;
  };

  Source& source_of(RingHeader& ring);
  std::uint64_t take_record(Source& source, const Slot* slots, std::uint64_t mask,
                            std::uint64_t at);
  void begin(Source& source, const Slot& slot, const WideSlot& wide);
  void end(Source& source, const Slot& slot);
  void end_range(const Source& source, const Open& open, std::int64_t time);
  void add_counter(std::int64_t time, StringId track, double value);
  void begin_call(Source& source, const Slot& slot, const CallSlot& call);
  void add_call(const Open& open, std::uint32_t row);
  void graph_node(const Source& source, const Slot& slot, const GraphNodeSlot& node);
  static void collective(Source& source, const Slot& slot, const CollectiveSlot& message);
  void add_collective(const Open& open, std::uint32_t row);
  void process_begin(const Source& source, const Slot& slot, const WideSlot& wide);
  void process_end(std::uint64_t id, std::int64_t time);
  void retry_early_ends();
  void add_row(const Open& open, ThreadId thread, std::int64_t end);
  void remove_open_rows();
  void list_open_ranges();
  void list_open_range(const Open& open, ThreadId thread, std::uint32_t lane);
  void take_log();
  void take_label(const LogEntry& entry);
  void take_stream(const LogEntry& entry);
  void take_fact(std::string_view key, std::string_view value);
  void take_counters();
  void commit_tails();

  StringId text(NameId name);
  SiteId site(SiteRef site);

  SessionView session_;
  StoreWriter& store_;
  TickConverter& clock_;
  std::unordered_map<RingHeader*, Source> sources_;
  std::unordered_map<std::uint64_t, ProcessRange> process_ranges_;
  std::vector<EarlyEnd> early_ends_;
  std::vector<StringId> texts_;                           // by NameId
  std::vector<SiteId> sites_;                             // by SiteRef
  std::vector<StreamId> streams_;                         // by StreamRef
  std::unordered_map<std::uint16_t, NameId> call_names_;  // by code
  std::unordered_map<std::uint16_t, ApiKind> call_kinds_;
  std::unordered_map<const RowSource*, RowSource::Totals> source_totals_;  // as counted so far
  std::uint32_t log_taken_ = 0;
  Process about_;
  Health health_;
  EventBatch batch_;
};

}  // namespace stepscope::recorder
