// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/data/token_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

// Tokens `first`, first + 1, ...
TokenShard counting(std::uint16_t first, std::size_t count) {
  std::vector<std::uint16_t> tokens(count);
  std::iota(tokens.begin(), tokens.end(), first);
  return TokenShard::of(std::move(tokens), "counting");
}

// Windows of 4 tokens: 2 of the first shard, 5 of the second, 0 of the third.
TokenStream small_stream(std::uint64_t seed = 3) {
  return *TokenStream::open({counting(0, 10), counting(100, 21), counting(200, 4)}, 4, 1000, seed);
}

std::vector<std::int64_t> sequence(TokenStream& stream, std::int64_t index) {
  std::vector<std::int64_t> out(5);
  const Status read = stream.read(index, out.data());
  EXPECT_TRUE(read) << read.error().message;
  return out;
}

TEST(TokenStream, AnEpochHoldsEveryWindowOnce) {
  TokenStream stream = small_stream();
  ASSERT_EQ(stream.sequences_an_epoch(), 7);
  for (const std::int64_t epoch : {0, 1}) {
    std::set<std::int64_t> begins;
    for (std::int64_t i = 0; i < 7; ++i) {
      const auto tokens = sequence(stream, 7 * epoch + i);
      for (std::size_t t = 1; t < 5; ++t) EXPECT_EQ(tokens[t], tokens[t - 1] + 1);
      begins.insert(tokens[0]);
    }
    EXPECT_EQ(begins, (std::set<std::int64_t>{0, 4, 100, 104, 108, 112, 116})) << epoch;
  }
}

TEST(TokenStream, AnySequenceCanBeReadAlone) {
  TokenStream all = small_stream();
  for (std::int64_t i = 0; i < 30; ++i) {
    TokenStream alone = small_stream();
    EXPECT_EQ(sequence(alone, i), sequence(all, i)) << i;
  }
}

TEST(TokenStream, SeedsAndEpochsHaveOrdersOfTheirOwn) {
  const auto order = [](std::uint64_t seed, std::int64_t epoch) {
    TokenStream stream = small_stream(seed);
    std::vector<std::int64_t> begins;
    for (std::int64_t i = 0; i < 7; ++i) begins.push_back(sequence(stream, 7 * epoch + i)[0]);
    return begins;
  };
  EXPECT_EQ(order(3, 0), order(3, 0));
  EXPECT_NE(order(3, 0), order(3, 1));
  EXPECT_NE(order(3, 0), order(4, 0));
}

TEST(TokenStream, ShardsShorterThanASequenceAreNotEnough) {
  const auto stream = TokenStream::open({counting(0, 4), counting(0, 3)}, 4, 1000, 0);
  EXPECT_THAT(stream.error().message, HasSubstr("--sequence 4: no shard holds"));
  EXPECT_THAT(stream.error().message, HasSubstr("the longest has 4"));
}

}  // namespace
}  // namespace stepscope::llm
