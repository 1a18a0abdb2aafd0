// SPDX-License-Identifier: Apache-2.0
// Two clocks: ticks, cheap enough for every record, and CLOCK_REALTIME, which a trace is in.
//
// Ticks are the CPU's time-stamp counter where it is invariant (constant rate, in step on all
// cores), else CLOCK_REALTIME itself. TickConverter maps ticks to realtime by straight lines
// between clock pairs; behind the last pair and before the first it goes on with the nearest line.
#pragma once

#include <cstdint>
#include <ctime>
#include <vector>

#include "collectors/recorder/live_files/shared_layout.hpp"

namespace stepscope::recorder {

bool tsc_is_invariant() noexcept;

inline std::int64_t clock_ns(clockid_t id) noexcept {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

inline std::uint64_t realtime_ns() noexcept {
  return static_cast<std::uint64_t>(clock_ns(CLOCK_REALTIME));
}

inline std::uint64_t read_ticks(bool ticks_are_ns) noexcept {
#if defined(__x86_64__)
  if (!ticks_are_ns) [[likely]]
    return __builtin_ia32_rdtsc();
#endif
  (void)ticks_are_ns;
  return realtime_ns();
}

// The tightest of several readings.
ClockPair sample_clocks(bool ticks_are_ns) noexcept;

class TickConverter {
 public:
  explicit TickConverter(bool ticks_are_ns) : ticks_are_ns_(ticks_are_ns) {}

  // Pairs in order of time. False: realtime was set (it moved against the raw clock by more than 1
  // % of the time between); the line then starts anew at this pair with the old slope.
  bool add(const ClockPair& pair);
  std::int64_t to_ns(std::uint64_t ticks) const;

 private:
  struct Line {
    std::uint64_t from = 0;
    std::int64_t ns = 0;
    double ns_per_tick = 0.0;
  };
  bool ticks_are_ns_;
  ClockPair last_{};
  Line older_{}, newer_{};  // the two latest segments: late records reach back at most one
  std::uint32_t pairs_ = 0;
};

}  // namespace stepscope::recorder
