// SPDX-License-Identifier: Apache-2.0
// Samples on their way from the sampler's thread to the writer's: one thread puts, one takes,
// neither waits. Full: the sample is dropped and counted.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::host_sampler {

struct Sample {
  std::int64_t time = 0;  // CLOCK_REALTIME
  pid_t tid = 0;          // of a worker: its process
  std::uint64_t cpu = 0;
  std::uint64_t waited = 0;  // for a core, ready to run; 0: not told
  recorder::SiteRef site = 0;
  recorder::NameId called = 0, innermost = 0;
  std::uint8_t flags = 0;
};

class SampleQueue {
 public:
  static constexpr std::uint32_t kSlots = 8192;  // some seconds of a busy sampler

  void put(const Sample& sample) noexcept {
    const std::uint32_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == kSlots) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    slots_[tail % kSlots] = sample;
    tail_.store(tail + 1, std::memory_order_release);
  }

  bool take(Sample& sample) noexcept {
    const std::uint32_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    sample = slots_[head % kSlots];
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  bool empty() const noexcept {
    return head_.load(std::memory_order_relaxed) == tail_.load(std::memory_order_acquire);
  }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::array<Sample, kSlots> slots_{};
  std::atomic<std::uint32_t> head_{0}, tail_{0};
  std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace stepscope::host_sampler
