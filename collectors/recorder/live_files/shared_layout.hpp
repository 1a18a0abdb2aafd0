// SPDX-License-Identifier: Apache-2.0
// The memory-mapped files in which a recording process keeps its data, so that another process can
// read it after any kind of death. Two kinds of file in NAME.scope/live/, both removed when all is
// in the store:
//
//   STEM.session    names, call sites and the log (facts, labels, notes): append-only tables
//   STEM.N.ring     one a thread: RingHeader, then a power of two of 16-byte slots
//
// Ring: head and tail count slots since the thread began and never wrap; slot i is at i modulo
// size. The thread alone writes head, the reader alone writes tail. Records are one slot, or two
// where `wide`. Session: counts are published after the entry is complete; entries never change.
// Before a chunk is written, each ring says what its tail becomes with it, and the session where in
// the store the chunk will stand. Whoever reads after a death looks whether the chunk is there, so
// each record is written once, whenever the writer dies.
// Both hold host byte order and atomics that are plain memory: they never leave the machine.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::recorder {

enum class RecordType : std::uint8_t {
  begin = 1,
  end = 2,
  process_begin = 3,
  process_end = 4,
  mark = 5,
  call_begin = 6,  // a CUDA call: `lane` holds its code, `name` its site; ends on kLaneCall
  cpu_clock = 7,   // the thread's CPU time so far, in ns, as two halves: `site`, `sequence`
  graph_node = 8,  // a node of a CUDA graph was made: `name` holds its site
  // The message of the innermost open range of its lane: `name` holds the peer, `kind` the
  // ReduceOperation.
  collective = 9,
  counter = 10,        // `name` is the track
  loop_position = 11,  // `name` is the loop's site, `lane` its depth, `kind` the flags
};

struct Slot {
  std::uint64_t ticks;
  std::uint32_t name;
  std::uint16_t lane;
  std::uint8_t type;  // RecordType, and kWide where a WideSlot follows
  std::uint8_t kind;  // HostKind
};
inline constexpr std::uint8_t kWide = 0x80;

// The second slot of a record that has more to say.
struct WideSlot {
  std::uint32_t category;   // for a backward node: the forward thread
  std::uint32_t site;       // process ranges: low half of the id
  std::uint32_t sequence;   // process ranges: high half of the id
  std::uint32_t name_high;  // high half of RangeName's bits; Slot::name holds the low half
};

// The second slot of call_begin.
struct CallSlot {
  std::uint64_t value;   // event handle, bytes, or numbers of autograd: recorder::begin_call
  std::uint32_t stream;  // StreamRef
  std::uint32_t correlation;
};

// The second slot of graph_node.
struct GraphNodeSlot {
  std::uint64_t node;
  std::uint64_t original;
};

// The second slot of collective.
struct CollectiveSlot {
  std::uint64_t communicator;
  std::uint64_t bytes;
};

// The second slot of loop_position.
struct LoopSlot {
  std::int64_t iteration;
  std::uint32_t caller;  // site
  std::uint32_t reserved;
};

// The second slot of counter.
struct CounterSlot {
  double value;
  std::uint64_t reserved;
};
static_assert(sizeof(Slot) == 16 && sizeof(WideSlot) == 16 && sizeof(CallSlot) == 16);
static_assert(sizeof(GraphNodeSlot) == 16 && sizeof(CollectiveSlot) == 16);
static_assert(sizeof(CounterSlot) == 16 && sizeof(LoopSlot) == 16);

inline constexpr std::uint32_t kMaxLanes = 64;

// Whether the open ranges of a lane were recorded: bit 0 is the innermost one. Where a set bit
// would be shifted out, deeper ranges are all dropped and counted in `deeper` instead.
struct LaneState {
  std::uint64_t dropped_bits = 0;
  std::uint32_t depth = 0;
  std::uint32_t deeper = 0;
};

// Open ranges of a lane that a capture plan minds, by their depth; 0: none.
struct MarkState {
  std::uint32_t step_depth = 0;
  std::uint32_t range_depth = 0;
  std::uint64_t key = 0;  // key of the step mark
};

// Counters of a ring that the store has already.
struct Reported {
  std::uint64_t dropped, wanted, found;
};

struct RingHeader {
  static constexpr std::uint64_t kMagic = 0x35474e4952535353;  // "SSSRING5"
  std::uint64_t magic;
  std::int64_t tid;
  std::atomic<std::uint32_t> finished;  // the thread has ended
  // The thread's own, what every record touches first: with the lanes of ops and nodes one cache
  // line. The reader looks at head some ten times a second, which costs less than a line of its own
  // would.
  alignas(64) std::atomic<std::uint64_t> head;
  std::uint64_t cached_tail;
  std::uint32_t open;  // recorded ranges without their end: that many slots are kept free
  std::uint32_t slots;
  std::uint64_t sample_at;  // ticks from which on the thread's CPU clock is read again
  std::array<LaneState, kMaxLanes> lanes;
  std::array<MarkState, kMaxLanes> marks;
  std::uint32_t in_step_mark;  // 1: an open range of the thread is one; marks inside do not count
  // Counters of the thread, read by others.
  std::atomic<std::uint64_t> dropped;
  std::atomic<std::uint64_t> sites_wanted;
  std::atomic<std::uint64_t> sites_found;
  // The reader's own: how far it is, and the same once the announced chunk is in the store.
  alignas(64) std::atomic<std::uint64_t> tail;
  Reported reported;
  std::uint64_t tail_with_chunk;
  Reported reported_with_chunk;
  std::uint64_t pages_touched;  // 1: the reader has had all pages mapped
};
inline constexpr std::size_t kRingHeaderBytes = 4096;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes);

inline Slot* slots_of(RingHeader* ring) {
  return reinterpret_cast<Slot*>(reinterpret_cast<std::byte*>(ring) + kRingHeaderBytes);
}

struct NameEntry {
  std::uint32_t offset;  // into the text, which ends with a zero byte
  std::uint32_t length;
};
struct SiteEntry {
  std::uint32_t file;
  std::uint32_t line;
  std::uint32_t function;
  std::uint32_t reserved;
};
// call_name: `id` is the code, `value` its name. stream: `key` is the StreamRef, `label_kind` the
// device, `id` context << 32 | stream.
enum class LogKind : std::uint32_t { fact = 1, note = 2, label = 3, call_name = 4, stream = 5 };
struct LogEntry {
  LogKind kind;
  std::uint32_t label_kind;
  std::uint64_t id;
  std::uint32_t key;  // names
  std::uint32_t value;
};

struct ClockPair {
  std::uint64_t ticks = 0;
  std::int64_t realtime_ns = 0;
  std::int64_t monotonic_raw_ns = 0;
  std::int64_t error_ns = 0;
};

struct ProcessHome {
  std::array<char, 64> host;
  std::array<char, 40> boot;  // the kernel's boot id
  std::uint64_t pid_namespace;
};

struct SessionHeader {
  static constexpr std::uint64_t kMagic = 0x33534e4f49535353;  // "SSSIONS3"
  std::uint64_t magic;
  std::int64_t pid;
  std::uint32_t ticks_are_ns;            // no invariant TSC: ticks are CLOCK_REALTIME
  std::atomic<std::uint32_t> collected;  // bits of Collector
  std::atomic<std::uint32_t> names;
  std::atomic<std::uint32_t> sites;
  std::atomic<std::uint32_t> log_entries;
  std::atomic<std::uint32_t> text_bytes;
  std::atomic<std::uint64_t> lost_threads;  // threads that got no ring
  ClockPair first_clock;
  // The writer's last one. Odd clock_version: being changed.
  std::atomic<std::uint32_t> clock_version;
  ClockPair last_clock;
  ProcessHome home;
  std::atomic<std::uint32_t> mapping_holds_lock;  // liveness.hpp
  // The chunk that is being written begins at this byte of the store; 0: none is being written.
  std::atomic<std::uint64_t> chunk_at;
};

// The regions of a session file, each with room to grow.
inline constexpr std::uint32_t kMaxNames = 1U << 18U;
inline constexpr std::uint32_t kMaxSites = 1U << 17U;
inline constexpr std::uint32_t kMaxLog = 1U << 15U;
inline constexpr std::size_t kNamesOffset = 1U << 16U;
inline constexpr std::size_t kSitesOffset = kNamesOffset + kMaxNames * sizeof(NameEntry);
inline constexpr std::size_t kLogOffset = kSitesOffset + kMaxSites * sizeof(SiteEntry);
inline constexpr std::size_t kTextOffset = kLogOffset + kMaxLog * sizeof(LogEntry);
inline constexpr std::size_t kMaxText = 64U << 20U;
inline constexpr std::size_t kSessionBytes = kTextOffset + kMaxText;
static_assert(kSitesOffset % 65536 == 0 && kLogOffset % 65536 == 0 && kTextOffset % 65536 == 0);

}  // namespace stepscope::recorder
