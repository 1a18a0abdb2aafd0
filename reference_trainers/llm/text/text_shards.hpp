// SPDX-License-Identifier: Apache-2.0
// Text files to token shards, of 100 million tokens each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::llm {

struct TextShards {
  std::string text;          // file or folder
  std::string folder;        // for the shards
  std::string tokenizer;     // model of SentencePiece
  std::string separator;     // line that ends a document; empty: a file is one
  int train_vocabulary = 0;  // of a model that is made of the text and written first; 0: none
  std::int64_t shard_tokens = 100'000'000;
};

// Says at last how to train on them.
Status write_text_shards(const TextShards& wish,
                         const std::function<void(const std::string&)>& say);

}  // namespace stepscope::llm
