// SPDX-License-Identifier: Apache-2.0
// index.bin: which chunks a store has, and how many rows each. Little-endian, one of
//   int32 chunk, int32 rows, int64 offset   a chunk; offset: rows of the chunks before it
//   uint32 chunk, uint32 row                a row (older stores), in any order
// The second may have a size that fits the first too, so the numbers decide.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::trainers {

struct IndexedChunk {
  std::int64_t number, rows;
};

// Returns the chunks in the order of their numbers.
Result<std::vector<IndexedChunk>> read_index(const std::string& path);

Status write_index(const std::string& path, const std::vector<IndexedChunk>& chunks);

}  // namespace stepscope::trainers
