// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/guests/guest_clock.hpp"

#include "collectors/recorder/clock.hpp"

namespace stepscope::cupti {
namespace {

double difference(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(a - b));
}

}  // namespace

void GuestClock::use(TimestampFunction function) noexcept {
  function_ = function;
  early_ = late_ = {};
}

// The narrowest of some brackets: an interrupt between the two readings would tilt the line.
GuestClock::Reading GuestClock::read(TimestampFunction function) noexcept {
  Reading best;
  std::uint64_t narrowest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = recorder::realtime_ns();
    const std::uint64_t ticks = function();
    const std::uint64_t after = recorder::realtime_ns();
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {before + narrowest / 2, ticks};
  }
  return best;
}

std::uint64_t GuestClock::convert(std::uint64_t time_ns) const noexcept {
  if (time_ns == 0) return 0;
  const double span = difference(late_.time_ns, early_.time_ns);
  const double slope = span > 0 ? difference(late_.ticks, early_.ticks) / span : 1.0;
  return late_.ticks + static_cast<std::uint64_t>(
                           static_cast<std::int64_t>(difference(time_ns, late_.time_ns) * slope));
}

}  // namespace stepscope::cupti
