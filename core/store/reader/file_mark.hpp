// SPDX-License-Identifier: Apache-2.0
// Tells whether a file still is the one that something was derived from, without reading it whole.
//
// A store's chunk headers hold checksums of all that the file holds, so the mark of a store is made
// of its headers. Any other file, and what lies behind a damaged header, is read whole. A flaw
// within a chunk that came later than its header is not seen here, but where the chunk is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::store {

struct FileMark {
  std::string name;  // without its folder
  std::uint64_t bytes = 0;
  std::uint32_t mark = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// Errors: io.
Result<FileMark> mark_of_file(const std::filesystem::path& path);

}  // namespace stepscope::store
