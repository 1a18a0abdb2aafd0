// SPDX-License-Identifier: Apache-2.0
// From rings to the store: turns ticks into nanoseconds, hands records to what pairs begin with end
// (range_stacks, process_ranges), and writes batches. Used by the writer thread of a live process
// and, on the files of a dead one, by the launcher.
//
// A ring's tail moves only after the chunk with its records was written, and the chunk is announced
// before (shared_layout.hpp), so a process killed at any moment loses nothing and repeats nothing.
// Rows of a batch are in the order of (ring, begin).
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/draining/process_ranges.hpp"
#include "collectors/recorder/draining/range_rows.hpp"
#include "collectors/recorder/draining/range_stacks.hpp"
#include "collectors/recorder/draining/row_source.hpp"
#include "collectors/recorder/draining/session_log.hpp"
#include "core/store/writer/writer.hpp"

namespace stepscope::recorder {

class Drain {
 public:
  Drain(SessionView session, StoreWriter& store, TickConverter& clock);
  Drain(const Drain&) = delete;  // its parts refer to its batch

  // A CUDA call whose end is not there yet, as the last record of a ring. Left there it outlives a
  // death whole, with what it launched; where its end may never come it is to be taken.
  enum class BegunCall { taken, left };

  // Everything published so far. Call flush() behind the last ring.
  void take(RingHeader& ring, BegunCall last = BegunCall::taken);
  // Rows of a source that makes its own; true where it has more. Call flush() behind it.
  bool take(RowSource& source, bool last);
  // Forgets a ring whose thread has ended and whose records are all taken and flushed.
  void forget(RingHeader& ring);
  // Counts what a dead writer's announced chunk holds as taken. Call it before the first take(),
  // where the store has that chunk.
  static void take_as_written(RingHeader& ring);
  // Between these two, the user's plan records nothing. capture_closed ends what was open in a CUDA
  // call, because its own end may never be recorded.
  void capture_closed(std::int64_t time, double state);
  void capture_opened(std::int64_t time, double state);
  // Clock records, log rows, counters and the batch.
  Status flush();
  // Why a batch could not be written, the first time; empty while all were. Records that come
  // behind it are left in their rings.
  const std::string& problem() const { return problem_; }

 private:
  static constexpr std::size_t kBatchRows = 16384;  // and twice as many at most

  struct Source {  // one ring
    ThreadId thread;
    StringId cpu_track;
    std::uint64_t taken;  // slots, at least the ring's tail
    RangeStacks ranges;
    Reported counted{};     // what the next chunk says of the ring's counters
    bool was_full = false;  // since they were counted
  };

  struct Published {  // slots of a ring up to `head`, by their number since its begin
    const Slot* slots;
    std::uint64_t mask;
    std::uint64_t head;
    const Slot& operator[](std::uint64_t number) const { return slots[number & mask]; }
  };

  static bool is_begun_call(const Published& slots, std::uint64_t at);
  Source& source_of(RingHeader& ring);
  std::uint64_t take_record(Source& source, const Published& slots, std::uint64_t at);
  std::uint64_t take_range(Source& source, std::uint16_t lane, OpenRange range,
                           const Published& slots, std::uint64_t next);
  OpenRange range_of(const Slot& slot, const WideSlot& wide);
  OpenRange call_of(const Slot& slot, const CallSlot& call);
  void add_counter(std::int64_t time, StringId track, double value);
  void add_mark(const Source& source, const Slot& slot, const WideSlot& wide);
  void add_loop_position(const Source& source, const Slot& slot, const LoopSlot& loop);
  void add_graph_node(const Source& source, const Slot& slot, const GraphNodeSlot& node);
  void leave_out_process_range();
  void take_counters();
  void note_records_without_room();
  void see_whether_full(const RingHeader& ring, Source& source);
  void announce_chunk();
  void commit_chunk();

  std::string problem_;
  SessionView session_;
  StoreWriter& store_;
  TickConverter& clock_;
  EventBatch batch_;
  RangeRows rows_;
  ProcessRanges process_ranges_;
  SessionLog log_;
  std::unordered_map<RingHeader*, Source> sources_;
  std::unordered_map<const RowSource*, RowSource::Totals> source_totals_;  // as counted so far
  Health health_;
  std::int64_t room_read_at_;           // when the records without room were counted
  std::uint64_t without_room_ = 0;      // up to then
  std::uint64_t new_without_room_ = 0;  // since then, in rings that were full
  std::uint64_t left_out_process_ranges_ = 0;
};

}  // namespace stepscope::recorder
