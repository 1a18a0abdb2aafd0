// SPDX-License-Identifier: Apache-2.0
// One bit an entry of a [rows, columns] matrix: bit c % 32 of word r * mask_words_per_row(columns)
// + c / 32. Unused bits of a row's last word are 0.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE constexpr std::int64_t mask_words_per_row(std::int64_t columns) {
  return (columns + 31) / 32;
}

struct Bitmask {
  const std::uint32_t* words = nullptr;
  std::int64_t rows = 0, columns = 0;  // each below 2^31; at most 2^33 entries

  STEPSCOPE_HOST_DEVICE constexpr std::int64_t words_per_row() const {
    return mask_words_per_row(columns);
  }
};

}  // namespace stepscope::kernels
