// SPDX-License-Identifier: Apache-2.0
// A store file that grows by whole chunks (layout: FORMAT.md), each appended with one system call to
// a file opened O_APPEND, or opened again where the program around has closed it. A chunk that
// cannot be written leaves no part of it behind where the file system allows that.
#pragma once

#include <memory>
#include <string>

#include "core/store/format.hpp"
#include "core/store/writer/byte_sink.hpp"
#include "core/store/writer/writer.hpp"
#include "core/support/own_descriptor.hpp"
#include "core/support/result.hpp"

struct ZSTD_CCtx_s;

namespace stepscope::store {

class ChunkFile {
 public:
  ChunkFile() = default;
  ChunkFile(const ChunkFile&) = delete;
  ChunkFile& operator=(const ChunkFile&) = delete;
  ~ChunkFile();

  // Once, and one of the two. An existing file may be torn; one without a whole header is begun
  // anew.
  Status create(const std::string& path, const StoreOptions& options);
  Status append(const std::string& path, const StoreOptions& options);

  // `header` says what the raw bytes hold; the rest of it is filled in here.
  Status write(ChunkType type, ChunkHeader header, const ByteSink& raw);
  Status close();
  void abandon();

  const std::string& path() const { return path_; }
  // The byte at which the next chunk's header will stand.
  std::uint64_t next_chunk_at() const;
  std::uint64_t bytes() const { return bytes_; }
  std::uint32_t chunks() const { return sequence_; }

 private:
  bool compress(const ByteSink& raw, ChunkHeader& header);
  void encode(ChunkType type, ChunkHeader header, const ByteSink& raw);

  OwnDescriptor descriptor_;
  std::string path_;
  StoreOptions options_;
  std::uint32_t session_ = 1;
  std::uint32_t sequence_ = 0;
  std::uint64_t bytes_ = 0;
  bool needs_header_ = false;  // the file's header is not written yet
  ByteSink encoded_;
  ZSTD_CCtx_s* zstd_ = nullptr;
};

// Whether the file holds a chunk at this byte, with all of its payload.
bool is_whole_chunk(const std::string& path, std::uint64_t at);

}  // namespace stepscope::store
