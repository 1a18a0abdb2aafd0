// SPDX-License-Identifier: Apache-2.0
// The bracket that a call leaves for the next: about its least selected key, as narrow as how far
// that key moved lately allows. Each candidate costs the sweep a closer look, a wrong bracket a
// read more, as a rule.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/batch_topk.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

// What a warm call's bracket was, and what the call found.
struct WarmOutcome {
  std::uint32_t key = 0;                 // the least selected one
  bool misled = false;                   // the bracket did not hold it, or too many besides
  std::uint32_t low = 0, high = 0;       // the bracket, where it held
  std::int64_t below = 0, above = 0;     // candidates on either side of the cut, where it held
  std::int64_t count = 0;                // selected in all
  std::uint32_t first_guess = 1;         // half a bracket where nothing is known
  std::uint32_t greatest = 0xffffffffU;  // ordered key of this type
};

// Sixteenths, so that what is small fades slowly too.
constexpr std::uint32_t kReachUnit = 16;
constexpr std::uint32_t kMostHalfWidth = 1U << 26;  // in sixteenths, and twice, still 32 bits

// Ranks on either side of the cut that a bracket is to hold, whatever the key did: some seven
// standard deviations where the keys of each call are independent, for some 200,000 selected.
STEPSCOPE_HOST_DEVICE constexpr std::int64_t warm_ranks(std::int64_t count) {
  return count / 64 + 64;
}

// Returns the next width of one side, from the width that held so many ranks. None: keys equal to
// the cut's are enough.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t next_half_width(std::uint32_t width,
                                                              std::int64_t ranks,
                                                              std::int64_t wanted) {
  if (width == 0) return ranks >= wanted ? 0 : 1;
  if (ranks >= 2 * wanted) return width / 2;
  // A guess that a whole device waits for: float will do.
  const float times =
      2 * ranks <= wanted ? 2.0F : static_cast<float>(wanted) / static_cast<float>(ranks);
  const float wider = static_cast<float>(width) * times;
  return wider < static_cast<float>(kMostHalfWidth) ? static_cast<std::uint32_t>(wider)
                                                    : kMostHalfWidth;
}

// Twice the last movement, or what is left of those before; a movement out of the bracket says
// little of the next.
STEPSCOPE_HOST_DEVICE constexpr std::uint32_t next_reach(const BatchTopkWarmStart& known,
                                                         const WarmOutcome& found) {
  const std::uint32_t faded = known.reach - known.reach / kReachUnit - (known.reach > 0 ? 1 : 0);
  if (known.key == 0 || found.misled) return faded;
  const std::uint32_t moved = found.key > known.key ? found.key - known.key : known.key - found.key;
  const std::uint32_t twice = (moved < kMostHalfWidth ? moved : kMostHalfWidth) * 2;
  const std::uint32_t reach = twice * kReachUnit;
  return reach > faded ? reach : faded;
}

STEPSCOPE_HOST_DEVICE constexpr BatchTopkWarmStart warm_start_about(const WarmOutcome& found,
                                                                    std::uint32_t below,
                                                                    std::uint32_t above,
                                                                    std::uint32_t reach) {
  return {found.key > below ? found.key - below : 0U,
          above < found.greatest - found.key ? found.key + above : found.greatest, found.key,
          reach};
}

// A bracket that held too much is halved, one that did not hold the key is doubled.
STEPSCOPE_HOST_DEVICE constexpr BatchTopkWarmStart warm_start_after_miss(
    const BatchTopkWarmStart& known, const WarmOutcome& found) {
  const std::uint32_t width = known.high > known.low ? known.high - known.low : 0;
  const bool held = found.key >= known.low && found.key <= known.high;
  std::uint32_t half = held ? width / 4 : width;
  if ((half == 0 && !held) || half > 64 * found.first_guess) half = found.first_guess;
  return warm_start_about(found, half, half, held ? 0 : next_reach(known, found));
}

STEPSCOPE_HOST_DEVICE constexpr BatchTopkWarmStart next_warm_start(const BatchTopkWarmStart& known,
                                                                   const WarmOutcome& found) {
  if (found.misled) return warm_start_after_miss(known, found);
  const std::int64_t wanted = warm_ranks(found.count);
  const std::uint32_t below = next_half_width(found.key - found.low, found.below, wanted);
  const std::uint32_t above = next_half_width(found.high - found.key, found.above, wanted);
  std::uint32_t reach = next_reach(known, found);
  // Near the end of its equals: the next key counts as reached, for some calls.
  const bool widens =
      (found.key == found.low && below > 0) || (found.key == found.high && above > 0);
  if (widens && reach < kReachUnit) reach = kReachUnit;
  const std::uint32_t reached = (reach + kReachUnit - 1) / kReachUnit;
  return warm_start_about(found, below > reached ? below : reached,
                          above > reached ? above : reached, reach);
}

}  // namespace stepscope::kernels
