// SPDX-License-Identifier: Apache-2.0
// From the text of an op's name to its NameId: by address, else by samples of the text (names that
// are put together at each call come at any address). Either way the whole text is compared. Safe
// in any thread: a slot is one pointer to an entry that never changes, and id and text share a
// cache line, for this runs twice a microsecond with cold caches.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "collectors/recorder/recorder.hpp"

namespace stepscope {

class NameCache {
 public:
  [[gnu::hot]] recorder::RangeName find(const char* text) noexcept {
    std::atomic<const Entry*>& slot = slots_[slot_of(text)];
    const Entry* known = slot.load(std::memory_order_acquire);
    if (known != nullptr && std::strcmp(known->text, text) == 0) [[likely]]
      return known->name;
    return find_by_text(text, slot);
  }

 private:
  struct Entry;

  [[gnu::hot]] recorder::RangeName find_by_text(const char* text,
                                                std::atomic<const Entry*>& slot) noexcept {
    const std::size_t length = std::strlen(text);
    std::atomic<const Entry*>& second = text_slots_[text_slot_of(text, length)];
    const Entry* known = second.load(std::memory_order_acquire);
    if (known != nullptr && std::strcmp(known->text, text) == 0) [[likely]]
      return known->name;
    const recorder::RangeName name = recorder::range_name(text, length);
    if (name.numbers() != 0) return name;
    if (const Entry* entry = entry_of(name.id(), text, length)) {
      slot.store(entry, std::memory_order_release);
      second.store(entry, std::memory_order_release);
    }
    return name;
  }

  struct Entry {
    recorder::NameId name;
    char text[4];  // and as many as the text needs
  };
  static constexpr unsigned kBits = 12;
  static constexpr unsigned kTextBits = 10;
  static constexpr std::size_t kNames = std::size_t{1} << 13U;
  static constexpr std::size_t kArenaBytes = std::size_t{256} * 1024;

  static std::size_t slot_of(const char* text) noexcept {
    return (reinterpret_cast<std::uintptr_t>(text) * 0x9e3779b97f4a7c15ULL) >> (64 - kBits);
  }

  static std::size_t text_slot_of(const char* text, std::size_t length) noexcept {
    std::uint64_t hash = length;
    for (const std::size_t at : {length / 2, length < 12 ? 0 : length - 12}) {
      std::uint64_t word = 0;
      std::memcpy(&word, text + at, length - at < sizeof(word) ? length - at : sizeof(word));
      hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29U;
    }
    return (hash * 0x9e3779b97f4a7c15ULL) >> (64 - kTextBits);
  }

  // One entry a name, however often slots change hands; null where the tables are full.
  const Entry* entry_of(recorder::NameId name, const char* text, std::size_t length) noexcept {
    if (name == 0 || name >= kNames) return nullptr;
    if (const Entry* made = by_name_[name].load(std::memory_order_acquire)) return made;
    const std::size_t bytes = (offsetof(Entry, text) + length + 1 + 7) & ~std::size_t{7};
    if (used_.load(std::memory_order_relaxed) + bytes > kArenaBytes) return nullptr;
    const std::size_t at = used_.fetch_add(bytes, std::memory_order_relaxed);
    if (at + bytes > kArenaBytes) return nullptr;
    auto* entry = reinterpret_cast<Entry*>(arena_.data() + at);
    entry->name = name;
    std::memcpy(entry->text, text, length + 1);
    by_name_[name].store(entry, std::memory_order_release);
    return entry;
  }

  std::array<std::atomic<const Entry*>, std::size_t{1} << kBits> slots_{};
  std::array<std::atomic<const Entry*>, std::size_t{1} << kTextBits> text_slots_{};
  std::array<std::atomic<const Entry*>, kNames> by_name_{};
  std::atomic<std::size_t> used_{0};
  alignas(64) std::array<char, kArenaBytes> arena_{};
};

}  // namespace stepscope
