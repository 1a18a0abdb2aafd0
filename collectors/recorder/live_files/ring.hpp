// SPDX-License-Identifier: Apache-2.0
// A thread's ring file (layout: shared_layout.hpp): making and mapping it, and the producer's side.
//
// A begin is taken only while the ends of all open ranges would still fit, so an end never fails
// and begins and ends stay in step whatever is dropped.
#pragma once

#include <cstdint>

#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::recorder {

inline std::size_t ring_bytes(std::uint32_t slots) {
  return kRingHeaderBytes + slots * sizeof(Slot);
}

// `slots` is a power of two. Null where the file cannot be made.
RingHeader* create_ring(const char* path, std::int64_t tid, std::uint32_t slots) noexcept;
// Another process's ring. Null where the file is no whole ring.
RingHeader* open_ring(const char* path) noexcept;
void close_ring(RingHeader* ring) noexcept;
// Maps all pages for writing, so that the thread that owns the ring takes no page faults. On
// another thread: a fault in a file's page takes microseconds. Does nothing on Linux before 5.14.
void touch_pages(RingHeader* ring) noexcept;

// Room for `wanted` slots besides the ends that are owed.
inline bool has_room(RingHeader& ring, std::uint64_t head, std::uint64_t wanted) noexcept {
  const std::uint64_t needed = head + wanted + ring.open;
  if (needed - ring.cached_tail <= ring.slots) [[likely]]
    return true;
  ring.cached_tail = ring.tail.load(std::memory_order_acquire);
  return needed - ring.cached_tail <= ring.slots;
}

inline void count(std::atomic<std::uint64_t>& counter) noexcept {  // one writer each
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

// True where this record crossed into the next half of the ring: time to wake the reader.
inline bool publish(RingHeader& ring, std::uint64_t head, std::uint64_t slots) noexcept {
  ring.head.store(head + slots, std::memory_order_release);
  const std::uint64_t half = ring.slots / 2;
  return ((head ^ (head + slots)) & half) != 0;
}

// The calling thread's ring. Initial-exec: one instruction to read, and no lazy allocation inside a
// hook.

extern thread_local constinit RingHeader* thread_ring __attribute__((tls_model("initial-exec")));

}  // namespace stepscope::recorder
