// SPDX-License-Identifier: Apache-2.0
// A candidate: an entry whose key lies near the threshold, as one number. Greater numbers come
// first in the order of selection, and no two entries have the same number, so what is left to do
// among candidates is to find the n-th greatest of distinct integers:
//
//   (key - low) << place_bits | (2^place_bits - 1 - place)
//
// with the ordered key, the least key `low` of all candidates, and place = column * rows + row.
#pragma once

#include <cstdint>

#include "kernels/batch_topk/cut.hpp"
#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

constexpr int kMostPlaceBits = 33;

// Returns the number of bits that hold 0..value.
STEPSCOPE_HOST_DEVICE constexpr int bit_width_of(std::uint64_t value) {
  int bits = 0;
  while (value > 0) {
    value >>= 1;
    ++bits;
  }
  return bits;
}

struct CandidateCode {
  std::uint32_t low = 0;
  int place_bits = 0;  // bits that hold entries - 1

  STEPSCOPE_HOST_DEVICE constexpr std::uint64_t places() const {
    return (std::uint64_t{1} << place_bits) - 1;
  }
  // key - low must be below 2^(64 - place_bits).
  STEPSCOPE_HOST_DEVICE constexpr std::uint64_t encode(std::uint32_t key,
                                                       std::int64_t place) const {
    return (std::uint64_t{key - low} << place_bits) |
           (places() - static_cast<std::uint64_t>(place));
  }
  STEPSCOPE_HOST_DEVICE constexpr Cut decode(std::uint64_t candidate) const {
    return {low + static_cast<std::uint32_t>(candidate >> place_bits),
            static_cast<std::int64_t>(places() - (candidate & places()))};
  }
};

}  // namespace stepscope::kernels
