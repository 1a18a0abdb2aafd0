// SPDX-License-Identifier: Apache-2.0
// A whole file in memory. Read, not mapped: a file that shrinks while it is read must not kill us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/store/reader/byte_source.hpp"
#include "core/support/result.hpp"

namespace stepscope::store {

class FileBytes {
 public:
  // At most its first `limit` bytes.
  static Result<FileBytes> read(const std::filesystem::path& path, std::size_t limit = SIZE_MAX);
  Bytes bytes() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace stepscope::store
