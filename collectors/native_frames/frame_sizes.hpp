// SPDX-License-Identifier: Apache-2.0
// How far apart on the stack the return address of a call and that of its caller lie, by the return
// address: a table that is filled by walks over the unwind tables, and then walks in their place.
//
// A function that takes the same room at each call has one distance at each of its call sites, and
// one that aligns the stack pointer often two. What takes as much as it is asked for (alloca) has
// many; it is found out at the third and never trusted again. A distance is known once two walks
// after each other have found nothing new.
//
// Units: words of 8 bytes; distances of 256 KiB and more are not kept. No lock, no allocation; any
// thread may read and add at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace stepscope::native {

struct FrameSize {
  static constexpr std::int16_t kVaries = -1;
  static constexpr std::int16_t kOutermost = -2;  // nothing called this function

  std::int16_t words = 0;
  std::int16_t other = 0;   // the second distance; 0: there is none
  std::uint32_t times = 0;  // walks that found no other distance than these

  bool is_known() const noexcept { return times >= kTimes && words != kVaries; }
  friend bool operator==(const FrameSize&, const FrameSize&) = default;

  // Returns the size once a walk has found this distance, too.
  FrameSize with(std::int16_t found) const noexcept {
    FrameSize out = *this;
    if (times == 0) {
      out.words = found;
    } else if (words != found && other != found && words != kVaries) {
      const bool is_second = other == 0 && words > 0 && found > 0;
      out = is_second ? FrameSize{words, found} : FrameSize{kVaries};
    }
    if (out.times < kTimes) ++out.times;
    return out;
  }

 private:
  static constexpr std::uint32_t kTimes = 2;
};
static_assert(sizeof(FrameSize) == 8);

class FrameSizes {
 public:
  static constexpr std::size_t kEntries = 1 << 16;  // 1 MiB, touched as it fills

  FrameSize find(std::uintptr_t return_address) const noexcept {
    for (std::size_t i = 0; i < kProbes; ++i) {
      const Entry& entry = entries_[place(return_address, i)];
      const std::uintptr_t key = entry.return_address.load(std::memory_order_relaxed);
      if (key == return_address) return entry.size.load(std::memory_order_relaxed);
      if (key == 0) break;
    }
    return {};
  }

  // `words` above 0, or kOutermost. Where the table is full, nothing is kept.
  void learn(std::uintptr_t return_address, std::int64_t words) noexcept {
    if (words > std::numeric_limits<std::int16_t>::max()) return;
    for (std::size_t i = 0; i < kProbes; ++i) {
      Entry& entry = entries_[place(return_address, i)];
      std::uintptr_t key = 0;
      if (!entry.return_address.compare_exchange_strong(key, return_address) &&
          key != return_address)
        continue;
      FrameSize known = entry.size.load();
      while (
          !entry.size.compare_exchange_weak(known, known.with(static_cast<std::int16_t>(words)))) {
      }
      return;
    }
  }

 private:
  static constexpr std::size_t kProbes = 16;

  struct Entry {
    std::atomic<std::uintptr_t> return_address;  // 0: free
    std::atomic<FrameSize> size;
  };

  static std::size_t place(std::uintptr_t address, std::size_t probe) noexcept {
    return ((address * 0x9E3779B97F4A7C15U >> 40U) + probe) % kEntries;
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace stepscope::native
