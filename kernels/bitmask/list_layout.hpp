// SPDX-License-Identifier: Apache-2.0
// The workspace of bitmask_list: a count a line, then the sum of each chunk of lines.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::kernels {

constexpr std::int64_t kLinesOfChunk = 4096;

struct ListLayout {
  std::int64_t chunks = 0;
  std::size_t sums = 0;  // uint64 [chunks], behind uint32 [lines]
  std::size_t bytes = 0;
};

constexpr ListLayout list_layout(std::int64_t lines) {
  ListLayout layout;
  layout.chunks = lines / kLinesOfChunk + 1;  // at least one, which writes the last offset
  layout.sums = (static_cast<std::size_t>(lines) * sizeof(std::uint32_t) + 255) / 256 * 256;
  layout.bytes = layout.sums + static_cast<std::size_t>(layout.chunks) * sizeof(std::uint64_t);
  return layout;
}

}  // namespace stepscope::kernels
