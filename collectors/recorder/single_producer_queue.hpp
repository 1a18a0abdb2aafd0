// SPDX-License-Identifier: Apache-2.0
// Items on their way from one thread to another: one puts, one takes, neither waits. Full: the item
// is dropped and counted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace stepscope::recorder {

template <class Item, std::uint32_t slots>
class SingleProducerQueue {
 public:
  static constexpr std::uint32_t kSlots = slots;

  void put(const Item& item) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kSlots) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    slots_[tail % kSlots] = item;
    tail_.store(tail + 1, std::memory_order_release);
  }

  bool take(Item& item) noexcept {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    item = slots_[head % kSlots];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  bool empty() const noexcept {
    return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
  }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::array<Item, kSlots> slots_{};
  std::atomic<std::uint32_t> head_{0}, tail_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace stepscope::recorder
