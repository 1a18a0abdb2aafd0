// SPDX-License-Identifier: Apache-2.0
// Numbers of [-1, 1] or [0, 1] in 8 bits by dynamic tree quantisation (Dettmers et al. 2022, 8-bit
// Optimizers via Block-wise Quantization): leading zero bits count powers of ten, a one ends them,
// and the bits behind it are a linear fraction of [0.1, 1]. So small numbers keep their relative
// precision over seven powers of ten, and the largest have the most bits.
//
//   signed     7 bits of magnitude: 64 fractions of 10^0, 32 of 10^-1, ..., 1 of 10^-6; and 0, 1
//   not signed 8 bits of magnitude: 128 fractions of 10^0, ..., 2 of 10^-6; and 0, 1
//
// A code is a place in the table, which ascends.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

inline constexpr int kCodes = 256;
using DynamicCode = std::array<float, kCodes>;

DynamicCode signed_dynamic_code();
DynamicCode unsigned_dynamic_code();

// The code whose number is nearest; of two, the lesser. A NaN gets the last.
STEPSCOPE_HOST_DEVICE inline std::uint8_t nearest_code(const float* table, float number) {
  int low = 0, high = kCodes - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    const bool below = number <= 0.5F * (table[middle] + table[middle + 1]);
    low = below ? low : middle + 1;
    high = below ? middle : high;
  }
  return static_cast<std::uint8_t>(low);
}

}  // namespace stepscope::kernels
