// SPDX-License-Identifier: Apache-2.0
// The hot path: from a hook's call to a record in the calling thread's ring. Functions marked hot
// lie together in the library, since they run between cold caches.
#include "collectors/recorder/recorder.hpp"

#include <atomic>
#include <cstring>

#include "collectors/recorder/capture/capture.hpp"
#include "collectors/recorder/clock.hpp"
#include "collectors/recorder/live_files/numbered_name.hpp"
#include "collectors/recorder/live_files/ring.hpp"
#include "collectors/recorder/process_state.hpp"

namespace stepscope::recorder {
namespace {

RingHeader* my_ring() noexcept {
  RingHeader* ring = thread_ring;
  return ring != nullptr ? ring : attach_thread();
}

// About 2 ms on any CPU: the clock costs some 200 ns to read.
constexpr std::uint64_t kTicksOfASample = 5'000'000;

std::uint32_t low_half(RangeName name) noexcept {
  return static_cast<std::uint32_t>(name.bits());
}
std::uint32_t high_half(RangeName name) noexcept {
  return static_cast<std::uint32_t>(name.bits() >> 32U);
}

Slot make_slot(std::uint64_t ticks, RecordType type, bool wide, std::uint32_t name,
               std::uint16_t lane, HostKind kind) noexcept {
  return {ticks, name, lane,
          static_cast<std::uint8_t>(static_cast<std::uint8_t>(type) | (wide ? kWide : 0)),
          static_cast<std::uint8_t>(kind)};
}

// Between two records the program has used its caches for other things, so the line that comes
// after this one is asked for now: some microseconds ahead.
void fetch_ahead(Slot* slots, std::uint64_t head, std::uint64_t mask) noexcept {
  constexpr std::uint64_t kSlotsAhead = 8;  // two cache lines
  __builtin_prefetch(&slots[(head + kSlotsAhead) & mask], 1);
}

// Writes a record; the caller has made sure of room.
void put(RingHeader& ring, std::uint64_t head, const Slot& slot) noexcept {
  Slot* slots = slots_of(&ring);
  slots[head & (ring.slots - 1)] = slot;
  fetch_ahead(slots, head, ring.slots - 1);
  if (publish(ring, head, 1)) wake_writer();
}

void put(RingHeader& ring, std::uint64_t head, const Slot& slot, const WideSlot& wide) noexcept {
  Slot* slots = slots_of(&ring);
  slots[head & (ring.slots - 1)] = slot;
  std::memcpy(&slots[(head + 1) & (ring.slots - 1)], &wide, sizeof(wide));
  fetch_ahead(slots, head, ring.slots - 1);
  if (publish(ring, head, 2)) wake_writer();
}

// Tells later whether the thread ran or slept in a long silence: a sample lies shortly before it,
// and the record that ends it takes the next.
[[gnu::noinline]] void sample_cpu(RingHeader& ring, std::uint64_t ticks) noexcept {
  ring.sample_at = ticks + kTicksOfASample;
  const std::uint64_t head = ring.head.load(std::memory_order_relaxed);
  if (!has_room(ring, head, 2)) return;
  const auto cpu = static_cast<std::uint64_t>(clock_ns(CLOCK_THREAD_CPUTIME_ID));
  put(ring, head, make_slot(ticks, RecordType::cpu_clock, true, 0, 0, HostKind::other),
      {0, static_cast<std::uint32_t>(cpu), static_cast<std::uint32_t>(cpu >> 32U), 0});
}

std::uint64_t now_in(RingHeader& ring) noexcept {
  const std::uint64_t ticks = read_ticks(process.ticks_are_ns);
  if (ticks >= ring.sample_at) [[unlikely]]
    sample_cpu(ring, ticks);
  return ticks;
}

// A record of two slots that stands for itself.
template <class Second>
bool put_alone(RecordType type, std::uint32_t name, std::uint16_t lane, std::uint8_t kind,
               const Second& second) noexcept {
  RingHeader* ring = my_ring();
  if (ring == nullptr) return false;
  const std::uint64_t ticks = now_in(*ring);
  const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
  if (!has_room(*ring, head, 2)) return count(ring->dropped), false;
  WideSlot wide;
  static_assert(sizeof(second) == sizeof(wide));
  std::memcpy(&wide, &second, sizeof(wide));
  put(*ring, head, make_slot(ticks, type, true, name, lane, static_cast<HostKind>(kind)), wide);
  return true;
}

// The writer thread looks whether the thread is in a call.
void set_depth(LaneState& state, std::uint32_t depth) noexcept {
  std::atomic_ref(state.depth).store(depth, std::memory_order_relaxed);
}

// Every open range is kept in mind, written again when one more is open, and has its end's slot
// kept free: a loop that pushes and never pops would choke all three.
constexpr std::uint32_t kDeepestBits = 10;

[[gnu::cold, gnu::noinline]] void too_deep(RingHeader& ring, LaneState& state) noexcept {
  static std::atomic<bool> noted{false};
  ++state.deeper;
  if ((state.depth >> kDeepestBits) == 0) return;  // in ranges that the user's plan leaves out
  count(ring.dropped);
  if (!noted.exchange(true, std::memory_order_relaxed))
    note(
        "a thread has more than 1,023 ranges open at once: deeper ones are not recorded; does a "
        "range never end?");
}

// The range that begins now, taken so far. False: it is too deep in ranges, or in such that were
// not taken.
bool go_down(RingHeader& ring, LaneState& state) noexcept {
  set_depth(state, state.depth + 1);
  if ((state.deeper | (state.depth >> kDeepestBits) | (state.dropped_bits >> 63U)) != 0)
      [[unlikely]] {
    too_deep(ring, state);
    return false;
  }
  state.dropped_bits <<= 1U;
  return true;
}

// The innermost range ends; true where it was taken.
bool go_up(LaneState& state) noexcept {
  set_depth(state, state.depth - 1);
  if (state.deeper != 0) [[unlikely]] {
    --state.deeper;
    return false;
  }
  const bool dropped = (state.dropped_bits & 1U) != 0;
  state.dropped_bits >>= 1U;
  return !dropped;
}

void put_process_range(RecordType type, std::uint64_t id, RangeName name, NameId category,
                       HostKind kind) noexcept {
  RingHeader* ring = my_ring();
  if (ring == nullptr) return;
  if (type == RecordType::process_begin && gate_state() == Gate::closed) return;
  const std::uint64_t ticks = now_in(*ring);
  const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
  if (!has_room(*ring, head, 2)) return count(ring->dropped);
  put(*ring, head, make_slot(ticks, type, true, low_half(name), 0, kind),
      {category, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32U),
       high_half(name)});
}

}  // namespace

bool is_capturing() noexcept {
  return gate_state() != Gate::closed;
}

bool has_plan() noexcept {
  return gate_state() != Gate::none;
}

bool is_armed() noexcept {
  const Phase phase = process.phase.load(std::memory_order_relaxed);
  return phase == Phase::open || phase == Phase::armed;
}

NameId intern_name(const char* text, std::size_t length) noexcept {
  if (process.phase.load(std::memory_order_acquire) == Phase::off || text == nullptr) return 0;
  return process.dictionary.name({text, length});
}

RangeName range_name(const char* text, std::size_t length) noexcept {
  if (process.phase.load(std::memory_order_acquire) == Phase::off || text == nullptr) return 0;
  return process.dictionary.range_name({text, length});
}

NameId whole_name(RangeName name) noexcept {
  if (name.numbers() == 0) return name.id();
  return process.dictionary.name(with_numbers(name_text(name.id()), name.numbers()).view());
}

const char* name_text(NameId name) noexcept {
  if (process.phase.load(std::memory_order_acquire) == Phase::off) return "";
  return process.dictionary.view().name(name).data();
}

SiteRef intern_site(NameId file, std::uint32_t line, NameId function) noexcept {
  if (process.phase.load(std::memory_order_acquire) == Phase::off) return 0;
  return process.dictionary.site(file, line, function);
}

[[gnu::hot]] void begin_range(std::uint16_t lane, HostKind kind, RangeName name, NameId category,
                              SiteRef site, std::uint32_t sequence) noexcept {
  RingHeader* ring = my_ring();
  if (ring == nullptr || lane >= kMaxLanes) return;
  LaneState& state = ring->lanes[lane];
  if (!go_down(*ring, state)) return;
  if (gate_state() != Gate::none) [[unlikely]] {
    if (!passes_gate(*ring, lane, name.id(), site)) {
      state.dropped_bits |= 1U;
      return;
    }
  }
  const bool wide = (category | site | high_half(name)) != 0 || sequence != kNoSequence;
  const std::uint64_t ticks = now_in(*ring);
  const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
  if (!has_room(*ring, head, wide ? 3 : 2)) [[unlikely]] {
    state.dropped_bits |= 1U;
    return count(ring->dropped);
  }
  ++ring->open;
  const Slot slot = make_slot(ticks, RecordType::begin, wide, low_half(name), lane, kind);
  if (wide) {
    put(*ring, head, slot, {category, site, sequence, high_half(name)});
  } else {
    put(*ring, head, slot);
  }
}

[[gnu::hot]] void begin_call(std::uint16_t code, HostKind kind, SiteRef site,
                             std::uint32_t correlation, StreamRef stream,
                             std::uint64_t value) noexcept {
  RingHeader* ring = my_ring();
  if (ring == nullptr) return;
  LaneState& state = ring->lanes[kLaneCall];
  if (!go_down(*ring, state)) return;
  if (gate_state() == Gate::closed) [[unlikely]] {
    state.dropped_bits |= 1U;
    return;
  }
  const std::uint64_t ticks = now_in(*ring);
  const std::uint64_t head = ring->head.load(std::memory_order_relaxed);
  if (!has_room(*ring, head, 3)) [[unlikely]] {
    state.dropped_bits |= 1U;
    return count(ring->dropped);
  }
  ++ring->open;
  const CallSlot call{value, stream, correlation};
  WideSlot wide;
  std::memcpy(&wide, &call, sizeof(wide));
  put(*ring, head, make_slot(ticks, RecordType::call_begin, true, site, code, kind), wide);
}

void name_call(std::uint16_t code, const char* name) noexcept {
  if (!is_armed()) return;
  process.dictionary.log({LogKind::call_name, 0, code, 0, intern_name(name, std::strlen(name))});
}

StreamRef intern_stream(std::uint32_t device, std::uint32_t context,
                        std::uint32_t stream) noexcept {
  if (!is_armed()) return kNoStream;
  const StreamRef ref = process.streams.fetch_add(1, std::memory_order_relaxed) + 1;
  process.dictionary.log({LogKind::stream, device, std::uint64_t{context} << 32U | stream, ref, 0});
  return ref;
}

[[gnu::hot]] void end_range(std::uint16_t lane) noexcept {
  RingHeader* ring = thread_ring;
  if (ring == nullptr || lane >= kMaxLanes) return;
  LaneState& state = ring->lanes[lane];
  if (state.depth == 0) return;  // began before the recording, or before a fork
  if (go_up(state)) {
    const std::uint64_t ticks = now_in(*ring);  // while the end's slot is still owed
    --ring->open;
    put(*ring, ring->head.load(std::memory_order_relaxed),
        make_slot(ticks, RecordType::end, false, 0, lane, HostKind::other));
  }
  if (gate_state() != Gate::none) [[unlikely]]
    after_end(*ring, lane, state.depth + 1);
}

void forget_calls() noexcept {
  RingHeader* ring = thread_ring;
  if (ring == nullptr) return;
  LaneState& state = ring->lanes[kLaneCall];
  while (state.depth > 0) {
    if (go_up(state)) --ring->open;
  }
}

std::uint32_t open_ranges(std::uint16_t lane) noexcept {
  const RingHeader* ring = thread_ring;
  return ring == nullptr || lane >= kMaxLanes ? 0 : ring->lanes[lane].depth;
}

void begin_process_range(std::uint64_t id, RangeName name, NameId category,
                         HostKind kind) noexcept {
  put_process_range(RecordType::process_begin, id, name, category, kind);
}

void end_process_range(std::uint64_t id) noexcept {
  put_process_range(RecordType::process_end, id, 0, 0, HostKind::other);
}

void mark(RangeName name, NameId category) noexcept {
  if (gate_state() == Gate::closed) return;
  put_alone(RecordType::mark, low_half(name), 0, 0, WideSlot{category, 0, 0, high_half(name)});
}

void counter(NameId track, double value) noexcept {
  if (gate_state() == Gate::closed) return;
  put_alone(RecordType::counter, track, 0, 0, CounterSlot{value, 0});
}

void graph_node(std::uint64_t node, std::uint64_t original, SiteRef site) noexcept {
  put_alone(RecordType::graph_node, site, 0, 0, GraphNodeSlot{node, original});
}

void collective(std::uint16_t lane, const Message& message) noexcept {
  const RingHeader* ring = thread_ring;
  if (ring == nullptr || lane >= kMaxLanes) return;
  const LaneState& state = ring->lanes[lane];
  if (state.depth == 0 || state.deeper != 0 || (state.dropped_bits & 1U) != 0) return;
  put_alone(RecordType::collective, message.peer, lane, static_cast<std::uint8_t>(message.reduce),
            CollectiveSlot{message.communicator, message.bytes});
}

bool loop_position(const LoopPosition& position) noexcept {
  if (gate_state() == Gate::closed) return false;
  return put_alone(RecordType::loop_position, position.loop,
                   static_cast<std::uint16_t>(position.depth), position.flags,
                   LoopSlot{position.iteration, position.caller, 0});
}

void count_site_lookup(bool found) noexcept {
  RingHeader* ring = my_ring();
  if (ring == nullptr) return;
  count(ring->sites_wanted);
  if (found) count(ring->sites_found);
}

void label(LabelKind kind, std::uint64_t id, NameId name) noexcept {
  if (!is_armed()) return;
  process.dictionary.log({LogKind::label, static_cast<std::uint32_t>(kind), id, 0, name});
}

void collecting(Collector what) noexcept {
  if (!is_armed()) return;
  process.dictionary.add_collected(static_cast<std::uint32_t>(what));
}

void fact(const char* key, const char* value) noexcept {
  if (!is_armed()) return;
  const NameId key_name = intern_name(key, std::strlen(key));
  process.dictionary.log({LogKind::fact, 0, 0, key_name, intern_name(value, std::strlen(value))});
}

void note(const char* sentence) noexcept {
  if (!is_armed()) return;
  process.dictionary.log({LogKind::note, 0, 0, 0, intern_name(sentence, std::strlen(sentence))});
}

}  // namespace stepscope::recorder
