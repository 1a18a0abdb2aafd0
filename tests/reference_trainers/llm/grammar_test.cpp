// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/grammar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace stepscope::llm {
namespace {

TEST(Grammar, GivesAsManyTokensAsWantedAllOfTheVocabulary) {
  for (const std::int64_t vocabulary : {64, 512, 65536}) {
    const MadeCorpus corpus = make_corpus(vocabulary, 5000, 1);
    ASSERT_EQ(corpus.tokens.size(), 5000U);
    EXPECT_LT(*std::max_element(corpus.tokens.begin(), corpus.tokens.end()), vocabulary);
    EXPECT_EQ(corpus.tokens.front(), 0);
  }
}

TEST(Grammar, TheSeedFixesIt) {
  EXPECT_EQ(make_corpus(512, 3000, 1).tokens, make_corpus(512, 3000, 1).tokens);
  EXPECT_NE(make_corpus(512, 3000, 1).tokens, make_corpus(512, 3000, 2).tokens);
}

// What it says it needs lies below what single tokens need, or there would be nothing to learn.
TEST(Grammar, ItsEntropyIsBelowThatOfItsTokensAlone) {
  const MadeCorpus corpus = make_corpus(512, 200'000, 1);
  std::map<std::uint16_t, double> counts;
  for (const std::uint16_t token : corpus.tokens) counts[token] += 1;
  double alone = 0;
  for (const auto& [token, count] : counts) alone -= count / 200'000 * std::log(count / 200'000);
  EXPECT_LT(corpus.entropy, 0.6 * alone);
  EXPECT_GT(corpus.entropy, 1);
}

// Each determiner's number is its noun's: a noun or adjective behind an even one is of the first
// half.
TEST(Grammar, NounsAgreeWithDeterminers) {
  const MadeCorpus corpus = make_corpus(512, 20'000, 1);
  const int begin = 11, half = (512 - begin) / 2;
  for (std::size_t i = 0; i + 1 < corpus.tokens.size(); ++i) {
    const int token = corpus.tokens[i], next = corpus.tokens[i + 1];
    if (token < 3 || token >= begin) continue;
    EXPECT_EQ((next - begin) / half, (token - 3) % 2) << "at " << i;
  }
}

}  // namespace
}  // namespace stepscope::llm
