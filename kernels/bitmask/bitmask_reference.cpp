// SPDX-License-Identifier: Apache-2.0
#include "kernels/bitmask/bitmask_reference.hpp"

namespace stepscope::kernels {

bool is_set(const Bitmask& mask, std::int64_t row, std::int64_t column) {
  return (mask.words[row * mask.words_per_row() + column / 32] >> (column % 32) & 1U) != 0;
}

std::vector<std::uint8_t> bitmask_bytes_reference(const Bitmask& mask) {
  std::vector<std::uint8_t> bytes;
  for (std::int64_t row = 0; row < mask.rows; ++row)
    for (std::int64_t column = 0; column < mask.columns; ++column)
      bytes.push_back(is_set(mask, row, column) ? 1 : 0);
  return bytes;
}

ExpectedList bitmask_list_reference(const Bitmask& mask, BitmaskLines lines) {
  const bool by_row = lines == BitmaskLines::rows;
  ExpectedList list;
  list.offsets.push_back(0);
  for (std::int64_t line = 0; line < (by_row ? mask.rows : mask.columns); ++line) {
    for (std::int64_t index = 0; index < (by_row ? mask.columns : mask.rows); ++index) {
      const std::int64_t row = by_row ? line : index;
      const std::int64_t column = by_row ? index : line;
      if (!is_set(mask, row, column)) continue;
      list.indices.push_back(static_cast<std::int32_t>(index));
      list.entries.push_back(row * mask.columns + column);
    }
    list.offsets.push_back(static_cast<std::int64_t>(list.indices.size()));
  }
  return list;
}

}  // namespace stepscope::kernels
