// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/clock.hpp"

#include <cmath>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace stepscope::recorder {

bool tsc_is_invariant() noexcept {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & (1U << 8U)) != 0;
#else
  return false;
#endif
}

ClockPair sample_clocks(bool ticks_are_ns) noexcept {
  ClockPair best{};
  std::int64_t best_gap = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 8; ++i) {
    const std::int64_t before = clock_ns(CLOCK_REALTIME);
    const std::uint64_t ticks = read_ticks(ticks_are_ns);
    const std::int64_t raw = clock_ns(CLOCK_MONOTONIC_RAW);
    const std::int64_t after = clock_ns(CLOCK_REALTIME);
    if (after - before < 0 || after - before >= best_gap) continue;
    best_gap = after - before;
    best = {ticks, before + best_gap / 2, raw, best_gap / 2};
  }
  if (ticks_are_ns) best.realtime_ns = static_cast<std::int64_t>(best.ticks);
  return best;
}

bool TickConverter::add(const ClockPair& pair) {
  if (ticks_are_ns_) return true;
  if (pairs_++ == 0) {
    last_ = pair;
    newer_ = older_ = {pair.ticks, pair.realtime_ns, 0.0};
    return true;
  }
  if (pair.ticks <= last_.ticks) return true;
  const auto ticks = static_cast<double>(pair.ticks - last_.ticks);
  const auto raw = static_cast<double>(pair.monotonic_raw_ns - last_.monotonic_raw_ns);
  const auto real = static_cast<double>(pair.realtime_ns - last_.realtime_ns);
  const bool steady = std::fabs(real - raw) <= 0.01 * raw + 1000.0;
  older_ =
      pairs_ == 2 ? Line{last_.ticks, last_.realtime_ns, (steady ? real : raw) / ticks} : newer_;
  newer_ = steady ? Line{last_.ticks, last_.realtime_ns, real / ticks}
                  : Line{pair.ticks, pair.realtime_ns, raw / ticks};
  last_ = pair;
  return steady;
}

std::int64_t TickConverter::to_ns(std::uint64_t ticks) const {
  if (ticks_are_ns_) return static_cast<std::int64_t>(ticks);
  const Line& line = ticks >= newer_.from ? newer_ : older_;
  const auto since = static_cast<double>(static_cast<std::int64_t>(ticks - line.from));
  const double ns = since * line.ns_per_tick;
  return line.ns + static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5);  // no libm here
}

}  // namespace stepscope::recorder
