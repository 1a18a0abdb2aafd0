// SPDX-License-Identifier: Apache-2.0
// The clock that a guest asked CUPTI for (torch.profiler wants time stamp counter ticks). It is not
// registered with CUPTI: a registered clock corrupts the times of kernels up to CUPTI 13.0, and it
// would move ours. The guest's copies of records are converted instead.
//
// Both clocks are read together when the guest begins and whenever records are handed over; a time
// between two readings lies on the line through them.
#pragma once

#include <cstdint>

namespace stepscope::cupti {

using TimestampFunction = std::uint64_t (*)();

class GuestClock {
 public:
  struct Reading {
    std::uint64_t time_ns = 0;
    std::uint64_t ticks = 0;
  };
  static Reading read(TimestampFunction function) noexcept;  // calls it

  void use(TimestampFunction function) noexcept;  // null: CUPTI's own clock
  TimestampFunction in_use() const noexcept { return function_; }

  void begin(const Reading& earlier) noexcept { early_ = late_ = earlier; }
  void advance(const Reading& later) noexcept { late_ = later; }
  // Converts CLOCK_REALTIME nanoseconds to the guest's clock; 0 (no time) stays 0.
  std::uint64_t convert(std::uint64_t time_ns) const noexcept;

 private:
  TimestampFunction function_ = nullptr;
  Reading early_, late_;
};

}  // namespace stepscope::cupti
