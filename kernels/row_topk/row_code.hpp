// SPDX-License-Identifier: Apache-2.0
// An entry of a row as one number: greater numbers are selected first, and no two entries of a row
// have the same.
//
//   ordered key << place_bits | (2^place_bits - 1 - column)
//
// 0 is no entry: ordered keys of what may be selected are at least 1.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

struct RowCode {
  int place_bits = 0;  // that hold 0..columns - 1; at most 31

  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t last_place() const {
    return (1U << place_bits) - 1U;
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint64_t encode(std::uint32_t key,
                                                       std::uint32_t column) const {
    return (std::uint64_t{key} << place_bits) | (last_place() - column);
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t key(std::uint64_t code) const {
    return static_cast<std::uint32_t>(code >> place_bits);
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t column(std::uint64_t code) const {
    return last_place() - (static_cast<std::uint32_t>(code) & last_place());
  }
  // Not above the code of any entry with this key or a greater one.
  STEPSCOPE_HOST_DEVICE constexpr std::uint64_t least(std::uint32_t key) const {
    return std::uint64_t{key} << place_bits;
  }
};

}  // namespace stepscope::kernels
