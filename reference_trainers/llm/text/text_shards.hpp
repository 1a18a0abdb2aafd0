// SPDX-License-Identifier: Apache-2.0
// Text files to token shards, of 100 million tokens each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::llm {

struct TextShards {
  std::string text;       // file or folder
  std::string folder;     // for the shards
  std::string tokenizer;  // model of SentencePiece
  std::string separator;  // line that ends a document; empty: a file is one
  // Size of the vocabulary of a tokenizer to be made from the text first; 0: none is made.
  int train_vocabulary = 0;
  std::int64_t shard_tokens = 100'000'000;
};

// Says at last how to train on them.
Status write_text_shards(const TextShards& wish,
                         const std::function<void(const std::string&)>& say);

}  // namespace stepscope::llm
