// SPDX-License-Identifier: Apache-2.0
// What `train_llm --text` asks for, and the program beside this one that does it (text/main.cpp).
#pragma once

#include <cstdint>
#include <string>

#include "core/support/result.hpp"

namespace stepscope::llm {

struct TextWish {
  std::string text;  // file or folder; empty: nothing is asked for
  std::string tokenizer, separator;
  std::int64_t train_tokenizer = 0;  // tokens of a tokenizer that is made first
};

// Replaces this process by text_to_shards. Returns only where it cannot, with the reason.
Error run_text_program(const TextWish& wish, const std::string& folder);

}  // namespace stepscope::llm
