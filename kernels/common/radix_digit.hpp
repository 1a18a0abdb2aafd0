// SPDX-License-Identifier: Apache-2.0
// Radix selection, from the top: the prefix known so far, and the next digit below it.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

struct Digit {
  int shift = 0;  // bits below the digit
  int bits = 0;
};

STEPSCOPE_HOST_DEVICE constexpr std::uint32_t digit_of(std::uint32_t key, Digit digit) {
  return (key >> digit.shift) & ((1U << digit.bits) - 1U);
}

// Whether the bits above the digit are those of the prefix (whose lower bits are 0). A digit that
// begins at the key's top has an empty prefix.
STEPSCOPE_HOST_DEVICE constexpr bool matches_prefix(std::uint32_t key, std::uint32_t prefix,
                                                    Digit digit) {
  const int above = digit.shift + digit.bits;
  return above >= 32 || (key >> above) == (prefix >> above);
}

// The bin that holds the wanted-th greatest key, how many of that bin are wanted, at least 1, and
// how many it holds.
struct ChosenBin {
  std::uint32_t bin = 0;
  std::int64_t wanted = 0;
  std::int64_t inside = 0;
};

// counts[bins], wanted in 1..sum. The kernels do the same with many threads.
template <class Count>
constexpr ChosenBin choose_bin(const Count* counts, std::uint32_t bins, std::int64_t wanted) {
  for (std::uint32_t bin = bins; bin-- > 0;) {
    const auto count = static_cast<std::int64_t>(counts[bin]);
    if (wanted <= count) return {bin, wanted, count};
    wanted -= count;
  }
  return {};
}

}  // namespace stepscope::kernels
