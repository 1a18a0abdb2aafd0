// SPDX-License-Identifier: Apache-2.0
// The bytes of a trace file in order, decompressed where it is gzip (one member or several). The
// kind is found by the first bytes, not by the name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "core/support/result.hpp"

namespace stepscope::importers {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` bytes of content; 0 at the end. Errors carry the offset, without the file's name.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  virtual bool compressed() const = 0;
  virtual std::uint64_t file_position() const = 0;  // bytes of the file that were used
  virtual std::uint64_t file_bytes() const = 0;     // 0 where not known (a pipe)
};

Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

}  // namespace stepscope::importers
