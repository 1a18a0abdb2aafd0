// SPDX-License-Identifier: Apache-2.0
// Readings on their way from the sampler's thread to the writer's: one thread puts, one takes,
// neither waits. Full: the reading is dropped and counted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/nvml/device_reader.hpp"

namespace stepscope::nvml {

class ReadingQueue {
 public:
  static constexpr std::uint32_t kSlots = 1024;  // 12 s of 8 devices at 100 ms

  void put(const Reading& reading) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kSlots) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    slots_[tail % kSlots] = reading;
    tail_.store(tail + 1, std::memory_order_release);
  }

  bool take(Reading& reading) noexcept {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    reading = slots_[head % kSlots];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  bool empty() const noexcept {
    return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
  }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::array<Reading, kSlots> slots_{};
  std::atomic<std::uint32_t> head_{0}, tail_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace stepscope::nvml
