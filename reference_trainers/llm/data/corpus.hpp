// SPDX-License-Identifier: Apache-2.0
// Where a run's tokens come from: shards on disk, or a made corpus in memory.
#pragma once

#include <functional>
#include <string>

#include "core/support/result.hpp"
#include "reference_trainers/llm/config.hpp"
#include "reference_trainers/llm/data/token_stream.hpp"

namespace stepscope::llm {

struct Corpus {
  TokenStream stream;
  std::string about;  // a line for the user
};

Result<Corpus> open_corpus(const Config& config);

// The made corpus as two shards in --write-data's folder: to be read back by --data.
Status write_made_corpus(const Config& config, const std::function<void(const std::string&)>& say);

}  // namespace stepscope::llm
