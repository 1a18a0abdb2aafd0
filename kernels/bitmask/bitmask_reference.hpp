// SPDX-License-Identifier: Apache-2.0
// The outputs of a bitmask on the host, entry by entry.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/bitmask/bitmask_outputs.hpp"

namespace stepscope::kernels {

struct ExpectedList {
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> indices;
  std::vector<std::int64_t> entries;  // row * columns + column of each
};

// `mask` in host memory.
bool is_set(const Bitmask& mask, std::int64_t row, std::int64_t column);
std::vector<std::uint8_t> bitmask_bytes_reference(const Bitmask& mask);
ExpectedList bitmask_list_reference(const Bitmask& mask, BitmaskLines lines);

}  // namespace stepscope::kernels
