// SPDX-License-Identifier: Apache-2.0
// Where a selection ends: a key, and among its equals a place in the order (column, row). The place
// is the entry's offset in the transposed matrix, column * rows + row.
#pragma once

#include <cstdint>

#include "kernels/common/host_device.hpp"

namespace stepscope::kernels {

STEPSCOPE_HOST_DEVICE constexpr std::int64_t place_of(std::int64_t row, std::int64_t column,
                                                      std::int64_t rows) {
  return column * rows + row;
}

struct Cut {
  std::uint32_t key = 0xffffffffU;  // ordered
  std::int64_t place = -1;          // the last one selected among equals; -1: none of them
};

STEPSCOPE_HOST_DEVICE constexpr bool is_selected(const Cut& cut, std::uint32_t key,
                                                 std::int64_t place) {
  return key > cut.key || (key == cut.key && place <= cut.place);
}

}  // namespace stepscope::kernels
