// SPDX-License-Identifier: Apache-2.0
// A made language, so that training runs offline on tokens that have something to learn: sentences
// of a small grammar with agreement in number and relative clauses, whose words are drawn by Zipf's
// law or, four times of five, from eight that go with the last content word.
//
// Token 0 begins a document, 1 ends a sentence, 2 opens a clause; then determiners, and nouns,
// verbs and adjectives in halves for singular and plural.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope::llm {

struct MadeCorpus {
  std::vector<std::uint16_t> tokens;
  // Nats a token that the grammar itself needs, knowing its own state: no model has a lower loss on
  // tokens that it was not trained on.
  double entropy = 0;
};

// A vocabulary of 64 to 65,536.
MadeCorpus make_corpus(std::int64_t vocabulary, std::int64_t tokens, std::uint64_t seed);

}  // namespace stepscope::llm
