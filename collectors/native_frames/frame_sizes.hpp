// SPDX-License-Identifier: Apache-2.0
// How far apart on the stack the return address of a call and that of its caller lie, by the return
// address: a table that is filled by walks over the unwind tables, and then walks in their place.
//
// A function that takes the same room at each call has one distance at each of its call sites. One
// that takes as much as it is asked for (alloca), or aligns the stack pointer, has several; it is
// found out at the second distance and never trusted again.
//
// Units: words of 8 bytes. No lock, no allocation; any thread may read and add at any time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace stepscope::native {

class FrameSizes {
 public:
  static constexpr std::size_t kEntries = 1 << 16;  // 1 MiB, touched as it fills
  static constexpr std::int64_t kUnknown = 0;
  static constexpr std::int64_t kVaries = -1;
  static constexpr std::int64_t kOutermost = -2;  // nothing called this function

  std::int64_t find(std::uintptr_t return_address) const noexcept {
    for (std::size_t i = 0; i < kProbes; ++i) {
      const Entry& entry = entries_[place(return_address, i)];
      const std::uintptr_t key = entry.return_address.load(std::memory_order_relaxed);
      if (key == return_address) return entry.words.load(std::memory_order_relaxed);
      if (key == 0) break;
    }
    return kUnknown;
  }

  // `words` above 0, or kOutermost. Where the table is full, nothing is kept.
  void learn(std::uintptr_t return_address, std::int64_t words) noexcept {
    for (std::size_t i = 0; i < kProbes; ++i) {
      Entry& entry = entries_[place(return_address, i)];
      std::uintptr_t key = 0;
      if (!entry.return_address.compare_exchange_strong(key, return_address) &&
          key != return_address)
        continue;
      std::int64_t known = kUnknown;
      if (!entry.words.compare_exchange_strong(known, words) && known != words)
        entry.words.store(kVaries);
      return;
    }
  }

 private:
  static constexpr std::size_t kProbes = 16;

  struct Entry {
    std::atomic<std::uintptr_t> return_address;  // 0: free
    std::atomic<std::int64_t> words;
  };

  static std::size_t place(std::uintptr_t address, std::size_t probe) noexcept {
    return ((address * 0x9E3779B97F4A7C15U >> 40U) + probe) % kEntries;
  }

  std::array<Entry, kEntries> entries_{};
};

}  // namespace stepscope::native
