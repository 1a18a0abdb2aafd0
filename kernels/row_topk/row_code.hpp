// SPDX-License-Identifier: Apache-2.0
// An entry of a row as one number: greater numbers are selected first, and no two entries of a row
// have the same.
//
//   ordered key << place_bits | (2^place_bits - 1 - column)
//
// 0 is no entry: ordered keys of what may be selected are at least 1. Half the bits are half the
// instructions, so codes have 32 where these are enough: for keys of 16 in rows of 65,536 columns.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

template <class Code>
struct RowCode {
  int place_bits = 0;  // bits that hold 0..columns - 1; with the key's no more than Code has

  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t last_place() const {
    return (1U << place_bits) - 1U;
  }
  STEPSCOPE_HOST_DEVICE constexpr Code encode(std::uint32_t key, std::uint32_t column) const {
    return (Code{key} << place_bits) | (last_place() - column);
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t key(Code code) const {
    return static_cast<std::uint32_t>(code >> place_bits);
  }
  STEPSCOPE_HOST_DEVICE constexpr std::uint32_t column(Code code) const {
    return last_place() - (static_cast<std::uint32_t>(code) & last_place());
  }
  // Returns a code not above that of any entry with this key or a greater one.
  STEPSCOPE_HOST_DEVICE constexpr Code least(std::uint32_t key) const {
    return Code{key} << place_bits;
  }
};

constexpr bool short_codes_do(int key_bits, int place_bits) {
  return key_bits + place_bits <= 32;
}

}  // namespace stepscope::kernels
