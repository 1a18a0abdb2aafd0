// SPDX-License-Identifier: Apache-2.0
// Finds the sound chunks of a store file. What is damaged is passed over byte by byte until the
// next chunk magic with a sound header; so also a torn chunk that a later writer appended after.
#pragma once

#include <string>
#include <vector>

#include "core/store/reader/byte_source.hpp"
#include "core/support/progress.hpp"
#include "core/support/result.hpp"

namespace stepscope::store {

struct Chunk {
  ChunkHeader header;
  std::size_t offset = 0;
  Bytes payload;
};

struct Scan {
  std::vector<Chunk> chunks;     // both checksums hold; payloads point into the file's bytes
  std::uint64_t lost_bytes = 0;  // in no sound chunk
  std::uint64_t damaged_stretches = 0;
  std::size_t first_damage = 0;  // offset, where damaged_stretches > 0
  bool torn_tail = false;        // the last stretch runs to the end of the file
  bool header_damaged = false;
};

// Errors: bad_input (no store file, too short for a header), unsupported (newer major version).
// `name` is the file's, for messages.
Result<Scan> scan_chunks(Bytes file, const std::string& name);

}  // namespace stepscope::store
