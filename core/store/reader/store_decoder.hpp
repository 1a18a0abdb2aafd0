// SPDX-License-Identifier: Apache-2.0
// From the sound chunks of one or several store files to one TraceData.
#pragma once

#include <memory>
#include <string>

#include "core/store/reader/chunk_scan.hpp"
#include "core/store/reader/session.hpp"

struct ZSTD_DCtx_s;

namespace stepscope::store {

class StoreDecoder {
 public:
  StoreDecoder();
  ~StoreDecoder();

  // Makes room for what the scans promise. Error (unsupported): more than a trace or this machine
  // holds.
  Status expect(const std::vector<Scan>& scans, const std::string& name);
  // Adds one file: a process of its own.
  void decode(const Scan& scan, const std::string& name, const Progress& progress);
  TraceData take();

 private:
  bool inflate(const Chunk& chunk, Bytes& raw);
  bool decode_chunk(const Chunk& chunk, FileState& file);

  TraceData data_;
  SharedIds shared_;
  ZSTD_DCtx_s* zstd_;
  std::unique_ptr<std::uint8_t[]> scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace stepscope::store
