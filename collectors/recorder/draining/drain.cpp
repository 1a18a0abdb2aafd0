// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/draining/drain.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/model/events.hpp"

namespace stepscope::recorder {
namespace {

template <class Second>
Second second_as(const WideSlot& wide) {
  Second second;
  static_assert(sizeof(second) == sizeof(wide));
  std::memcpy(&second, &wide, sizeof(second));
  return second;
}

// The two halves of a process range's id, or of the CPU clock.
std::uint64_t number_in(const WideSlot& wide) {
  return std::uint64_t{wide.sequence} << 32U | wide.site;
}

// A process that died may have written over its records, so depth and flags are bounded by what the
// columns hold: bytes below 128.
constexpr std::uint16_t kDeepest = 127;
constexpr std::uint8_t kAllLoopFlags = kLoopCounted | kLoopAtHead | kLoopEntered | kLoopLeft;
HostKind kind_in(const Slot& slot) {
  return std::min(static_cast<HostKind>(slot.kind), HostKind::other);
}

RangeName name_in(const Slot& slot, const WideSlot& wide) {
  return RangeName::of_bits(std::uint64_t{wide.name_high} << 32U | slot.name);
}

}  // namespace

Drain::Drain(SessionView session, StoreWriter& store, TickConverter& clock)
    : session_(session),
      store_(store),
      clock_(clock),
      rows_(batch_),
      process_ranges_(batch_),
      log_(session, store),
      room_read_at_(clock_ns(CLOCK_REALTIME)) {}

Drain::Source& Drain::source_of(RingHeader& ring) {
  const auto known = sources_.find(&ring);
  if (known != sources_.end()) return known->second;
  const ThreadId thread = store_.thread(ring.tid);
  const StringId cpu_track = store_.intern(kThreadCpuTrack + std::to_string(ring.tid));
  const std::uint64_t taken = ring.tail.load(std::memory_order_relaxed);
  return sources_.emplace(&ring, Source{thread, cpu_track, taken, RangeStacks(thread, batch_)})
      .first->second;
}

bool Drain::is_begun_call(const Published& slots, std::uint64_t at) {
  constexpr std::uint64_t kSlotsOfCall = 2;
  const auto type = static_cast<RecordType>(slots[at].type & ~kWide);
  return at + kSlotsOfCall == slots.head && type == RecordType::call_begin;
}

void Drain::take(RingHeader& ring, BegunCall last) {
  Source& source = source_of(ring);
  see_whether_full(ring, source);
  const std::uint64_t head = ring.head.load(std::memory_order_acquire);
  log_.take(health_);  // behind head: names and streams that the records refer to
  const Published slots{slots_of(&ring), ring.slots - 1, head};
  while (source.taken < head && problem_.empty()) {
    const std::uint64_t until = std::min<std::uint64_t>(head, source.taken + kBatchRows);
    while (source.taken < until) {
      if (last == BegunCall::left && is_begun_call(slots, source.taken)) return;
      source.taken = take_record(source, slots, source.taken);
    }
    if (batch_.events() >= kBatchRows) (void)flush();
  }
}

std::uint64_t Drain::take_record(Source& source, const Published& slots, std::uint64_t at) {
  const Slot& slot = slots[at];
  const bool is_wide = (slot.type & kWide) != 0;
  const std::uint64_t next = at + (is_wide ? 2 : 1);
  WideSlot wide{0, 0, kNoSequence, 0};
  if (is_wide) std::memcpy(&wide, &slots[at + 1], sizeof(wide));
  switch (static_cast<RecordType>(slot.type & ~kWide)) {
    case RecordType::begin:
      return take_range(source, slot.lane, range_of(slot, wide), slots, next);
    case RecordType::call_begin:
      return take_range(source, kLaneCall, call_of(slot, second_as<CallSlot>(wide)), slots, next);
    case RecordType::graph_node:
      add_graph_node(source, slot, second_as<GraphNodeSlot>(wide));
      break;
    case RecordType::collective:
      source.ranges.message(slot, second_as<CollectiveSlot>(wide));
      break;
    case RecordType::end:
      source.ranges.end(slot.lane, clock_.to_ns(slot.ticks));
      break;
    case RecordType::process_begin: {
      OpenRange range = range_of(slot, {wide.category, 0, kNoSequence, wide.name_high});
      range.thread = source.thread;
      if (!process_ranges_.begin(number_in(wide), range)) leave_out_process_range();
      break;
    }
    case RecordType::process_end:
      process_ranges_.end(number_in(wide), clock_.to_ns(slot.ticks));
      break;
    case RecordType::cpu_clock:
      add_counter(clock_.to_ns(slot.ticks), source.cpu_track, static_cast<double>(number_in(wide)));
      break;
    case RecordType::counter:
      add_counter(clock_.to_ns(slot.ticks), log_.text(slot.name),
                  second_as<CounterSlot>(wide).value);
      break;
    case RecordType::loop_position:
      add_loop_position(source, slot, second_as<LoopSlot>(wide));
      break;
    case RecordType::mark:
      add_mark(source, slot, wide);
      break;
  }
  return next;
}

void Drain::leave_out_process_range() {
  if (left_out_process_ranges_++ == 0)
    health_.notes.emplace_back(
        "more than 4,096 ranges of the process (nvtxRangeStart) are open at once: further ones are "
        "not recorded; does one never end?");
  ++health_.dropped_records;
}

// Most ranges have no other inside: their end is the next record, and no stack is needed.
std::uint64_t Drain::take_range(Source& source, std::uint16_t lane, OpenRange range,
                                const Published& slots, std::uint64_t next) {
  const bool is_whole = next < slots.head && lane < kMaxLanes && slots[next].lane == lane &&
                        slots[next].type == static_cast<std::uint8_t>(RecordType::end);
  if (!is_whole) {
    source.ranges.begin(lane, range);
    return next;
  }
  range.thread = source.thread;
  rows_.whole(range, clock_.to_ns(slots[next].ticks));
  return next + 1;
}

OpenRange Drain::range_of(const Slot& slot, const WideSlot& wide) {
  const bool is_node = kind_in(slot) == HostKind::backward_node;
  return {.begin = clock_.to_ns(slot.ticks),
          .name = log_.range_text(name_in(slot, wide)),
          .category = is_node ? 0 : log_.text(wide.category),
          .site = log_.site(wide.site),
          .sequence = wide.sequence,
          .forward_thread = is_node && wide.category != 0 ? wide.category : kNone,
          .kind = kind_in(slot)};
}

OpenRange Drain::call_of(const Slot& slot, const CallSlot& call) {
  const SessionLog::Call about = log_.call(slot.lane);
  const bool is_numbered = about.api == ApiKind::launch_kernel && call.value != 0;
  const auto thread = static_cast<std::uint32_t>(call.value >> 32U);
  return {.begin = clock_.to_ns(slot.ticks),
          .name = about.name,
          .site = log_.site(slot.name),
          .sequence = is_numbered ? static_cast<std::uint32_t>(call.value) : kNoSequence,
          .forward_thread = is_numbered && thread != 0 ? thread : kNone,
          .kind = kind_in(slot),
          .is_call = true,
          .call = call,
          .api = about.api,
          .stream = log_.stream(call.stream)};
}

void Drain::add_mark(const Source& source, const Slot& slot, const WideSlot& wide) {
  batch_.marks.time.push_back(clock_.to_ns(slot.ticks));
  batch_.marks.name.push_back(log_.range_text(name_in(slot, wide)));
  batch_.marks.thread.push_back(source.thread);
}

void Drain::add_graph_node(const Source& source, const Slot& slot, const GraphNodeSlot& node) {
  GraphNodes& rows = batch_.graph_nodes;
  rows.time.push_back(clock_.to_ns(slot.ticks));
  rows.node.push_back(node.node);
  rows.original.push_back(node.original);
  rows.thread.push_back(source.thread);
  rows.site.push_back(log_.site(slot.name));
}

void Drain::add_loop_position(const Source& source, const Slot& slot, const LoopSlot& loop) {
  LoopPositions& rows = batch_.loop_positions;
  rows.time.push_back(clock_.to_ns(slot.ticks));
  rows.thread.push_back(source.thread);
  rows.depth.push_back(static_cast<std::uint8_t>(std::min<std::uint16_t>(slot.lane, kDeepest)));
  rows.flags.push_back(slot.kind & kAllLoopFlags);
  rows.loop.push_back(log_.site(slot.name));
  rows.caller.push_back(log_.site(loop.caller));
  rows.iteration.push_back(loop.iteration);
}

void Drain::add_counter(std::int64_t time, StringId track, double value) {
  batch_.counters.time.push_back(time);
  batch_.counters.track.push_back(track);
  batch_.counters.process.push_back(0);
  batch_.counters.value.push_back(value);
}

void Drain::capture_closed(std::int64_t time, double state) {
  add_counter(time, store_.intern(kCaptureTrack), state);
  for (auto& [ring, source] : sources_) source.ranges.end_calls(time);
}

void Drain::capture_opened(std::int64_t time, double state) {
  add_counter(time, store_.intern(kCaptureTrack), state);
}

Status Drain::flush() {
  process_ranges_.retry_early_ends();
  rows_.remove_open();
  for (auto& [ring, source] : sources_) source.ranges.list_open();
  process_ranges_.list_open();
  log_.take(health_);
  take_counters();
  announce_chunk();
  Status status = store_.write(batch_);
  if (!status.ok() && problem_.empty()) problem_ = status.error().message;
  clear(batch_);
  commit_chunk();
  return status;
}

// Ranges that are open keep room for their ends, and how many these are is the thread's own to know: a
// ring that half of is used, and that drops records, is full. One that has room drops them for another
// reason.
void Drain::see_whether_full(const RingHeader& ring, Source& source) {
  const std::uint64_t used =
      ring.head.load(std::memory_order_acquire) - ring.tail.load(std::memory_order_relaxed);
  source.was_full = source.was_full || 2 * used >= ring.slots;
}

// Two readings stand for a time in which records found no room: the one before it and its own.
void Drain::note_records_without_room() {
  const std::int64_t now = clock_ns(CLOCK_REALTIME);
  if (new_without_room_ > 0) {
    const StringId track = store_.intern(kNoRoomTrack);
    add_counter(room_read_at_, track, static_cast<double>(without_room_));
    without_room_ += std::exchange(new_without_room_, 0);
    add_counter(now, track, static_cast<double>(without_room_));
  }
  room_read_at_ = now;
}

void Drain::announce_chunk() {
  for (auto& [ring, source] : sources_) {
    ring->tail_with_chunk = source.taken;
    ring->reported_with_chunk = source.counted;
  }
  session_.header().chunk_at.store(store_.next_chunk_at(), std::memory_order_release);
}

void Drain::commit_chunk() {
  for (auto& [ring, source] : sources_) {
    see_whether_full(*ring, source);
    take_as_written(*ring);
  }
  session_.header().chunk_at.store(0, std::memory_order_release);
}

void Drain::take_as_written(RingHeader& ring) {
  const std::uint64_t tail = ring.tail.load(std::memory_order_relaxed);
  const std::uint64_t head = ring.head.load(std::memory_order_acquire);
  if (ring.tail_with_chunk - tail > head - tail) return;  // the program wrote into the header
  ring.reported = ring.reported_with_chunk;
  ring.tail.store(ring.tail_with_chunk, std::memory_order_release);
}

bool Drain::take(RowSource& source, bool last) {
  const bool more = source.collect(batch_, store_, last);
  const RowSource::Totals totals = source.totals();
  RowSource::Totals& counted = source_totals_[&source];
  health_.dropped_records += totals.dropped - counted.dropped;
  health_.zero_timestamps += totals.zero_timestamps - counted.zero_timestamps;
  counted = totals;
  return more;
}

void Drain::forget(RingHeader& ring) {
  sources_.erase(&ring);
}

void Drain::take_counters() {
  const SessionHeader& header = session_.header();
  for (auto& [ring, source] : sources_) {
    const std::uint64_t before = std::max(source.counted.dropped, ring->reported.dropped);
    if (std::exchange(source.was_full, false)) new_without_room_ += ring->dropped - before;
    source.counted = {ring->dropped, ring->sites_wanted, ring->sites_found};  // they go on growing
    health_.dropped_records += source.counted.dropped - ring->reported.dropped;
    health_.sites_wanted += source.counted.wanted - ring->reported.wanted;
    health_.sites_found += source.counted.found - ring->reported.found;
  }
  note_records_without_room();
  store_.health(health_);
  const std::uint32_t bits = header.collected.load(std::memory_order_relaxed);
  const auto runs = [bits](Collector what) {
    return (bits & static_cast<std::uint32_t>(what)) != 0;
  };
  store_.collected({.device_ops = runs(Collector::device_ops),
                    .api_calls = runs(Collector::api_calls),
                    .api_arguments = runs(Collector::api_arguments),
                    .framework_ops = runs(Collector::framework_ops),
                    .user_scopes = runs(Collector::user_scopes),
                    .call_sites = runs(Collector::call_sites),
                    .garbage_collection = runs(Collector::garbage_collection),
                    .off_cpu = runs(Collector::thread_cpu),
                    .io = runs(Collector::io)});
}

}  // namespace stepscope::recorder
