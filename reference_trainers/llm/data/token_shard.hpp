// SPDX-License-Identifier: Apache-2.0
// A shard of tokens in the format of llm.c: a header of 256 int32 (magic, version, number of
// tokens, zeros), then the tokens, little-endian.
//
//   magic 20240520, version 1: uint16 (GPT-2's and any vocabulary up to 65,536); what is written
//   magic 20240801, version 7: uint32
//
// The file is mapped and read where a sequence needs it. Nothing in it says which vocabulary it was
// made with, so copy() checks each token that it hands out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.hpp"

namespace stepscope::llm {

class TokenShard {
 public:
  // Errors name the file: missing, no shard, another version, truncated, longer than its header.
  static Result<TokenShard> open(const std::string& path);
  // Makes a shard in memory, under a name for messages.
  static TokenShard of(std::vector<std::uint16_t> tokens, std::string name);

  const std::string& path() const { return path_; }
  std::int64_t size() const { return size_; }  // tokens

  // Tokens [begin, begin + count) to `out`. An Error names one that is not below `vocabulary`.
  Status copy(std::int64_t begin, std::int64_t count, std::int64_t vocabulary,
              std::int64_t* out) const;

 private:
  std::string path_;
  std::shared_ptr<const void> memory_;  // what keeps `tokens_`
  const std::byte* tokens_ = nullptr;
  std::int64_t size_ = 0;
  std::size_t width_ = 2;  // bytes a token
};

// Whole or not at all.
Status write_shard(const std::string& path, std::span<const std::uint16_t> tokens);

// The shards of a folder (*.bin, by name), or the one file. An Error where there is none.
Result<std::vector<TokenShard>> open_shards(const std::string& path);

}  // namespace stepscope::llm
