// SPDX-License-Identifier: Apache-2.0
// Shards in host memory that find the cut by a guess set the bits of the whole matrix's selection,
// or find alike that they cannot.
#include "kernels/shard_topk/greatest_keys.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/shard_topk/whole_and_shards.hpp"

namespace stepscope::kernels {
namespace {

struct Outcome {
  ShardChoice choice;
  ShardGuess next;
  std::vector<std::vector<std::uint8_t>> masks;  // a shard each, where decided
};

// With the shards' exchanges.
Outcome selected_by(const std::vector<GreatestKeys>& shards,
                    const std::vector<std::int64_t>& entries, std::int64_t count,
                    const ShardGuess& guess) {
  std::vector<std::int64_t> sums(kShardBins);
  for (const GreatestKeys& shard : shards) shard.count(guess, sums.data());
  Outcome outcome{.choice = shard_cut_choice(sums.data(), count)};
  outcome.next = next_guess(guess, outcome.choice);
  if (outcome.choice.decided == 0) return outcome;
  std::vector<std::int64_t> all;
  for (const GreatestKeys& shard : shards)
    for (const std::int64_t published : shard.finalists(guess, outcome.choice))
      all.push_back(published);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    outcome.masks.emplace_back(static_cast<std::size_t>(entries[i]));
    const std::int64_t own = shards[i].own_count(guess, outcome.choice, all.data(),
                                                 static_cast<std::int64_t>(i), std::ssize(shards));
    shards[i].select(own, outcome.masks.back().data());
  }
  return outcome;
}

template <class T>
void expect_shards_select_as_the_whole(const ShardedCase& of) {
  WholeMatrix<T> whole(of.shape, of.source, of.seed);
  whole.arguments().count = of.count;
  whole.arguments().positives_only = of.seed % 3 == 0;
  const std::vector<std::uint8_t> expected = whole.selected();
  const std::uint32_t least = whole.least();
  for (const std::int64_t shards : of.shards) {
    const std::vector<ShardPart> parts = parts_of(of.shape, of.by, shards);
    std::vector<GreatestKeys> keys;
    std::vector<std::int64_t> entries;
    for (const ShardPart& place : parts) {
      const auto part = whole.part(place);
      keys.emplace_back(part.arguments, groups_of(of.shape, of.by));
      entries.push_back(part.arguments.rows * part.arguments.columns);
    }
    // From nothing, then about the least selected key, with any width, then as it was learnt.
    for (ShardGuess guess :
         {ShardGuess{}, guess_about(least, of.seed % 13), guess_about(least, 0)}) {
      const bool known = guess.low > 0;
      for (int turn = 0; turn < 3; ++turn) {
        const Outcome outcome = selected_by(keys, entries, of.count, guess);
        ASSERT_TRUE(outcome.choice.decided != 0 || !known)
            << "seed " << of.seed << ", count " << of.count;
        guess = outcome.next;
        for (std::size_t i = 0; i < outcome.masks.size(); ++i)
          ASSERT_EQ(outcome.masks[i], part_of(expected, of.shape, parts[i]))
              << "shard " << i << " of " << shards << ", seed " << of.seed << ", count "
              << of.count;
      }
    }
  }
}

TEST(GreatestKeys, SelectAsTheWholeOnRandomShapes) {
  constexpr RandomShapes kShapes{40, 28, 38, 1};
  on_random_shapes(kShapes, expect_shards_select_as_the_whole<Bfloat16>);
  on_random_shapes(kShapes, expect_shards_select_as_the_whole<Float16>);
  on_random_shapes(kShapes, expect_shards_select_as_the_whole<float>);
}

// More of them than shards publish one by one: whatever the guess, the choice says so.
TEST(GreatestKeys, TooManyEqualKeysAreNotDecided) {
  const std::vector<float> keys(kShardFinalists, 1.0F);
  BatchTopkArguments part;
  part.key_type = KeyType::float32;
  part.rows = 2;
  part.columns = kShardFinalists / 2;
  part.count = 11;
  part.keys = keys.data();
  ShardGuess guess = guess_about(ordered_key(1.0F, NanRank::first), 0);
  const std::vector<std::int64_t> entries(120, kShardFinalists);
  const std::vector<GreatestKeys> few(93, GreatestKeys(part)), many(94, GreatestKeys(part));
  const Outcome decided = selected_by(few, entries, 11, guess);
  EXPECT_EQ(decided.choice.decided, 1U);
  for (int turn = 0; turn < 20; ++turn) {
    const Outcome outcome = selected_by(many, entries, 11, guess);
    EXPECT_EQ(outcome.choice.decided, 0U);
    guess = outcome.next;
    EXPECT_LE(guess.narrower, kWidestBinBits);
  }
}

TEST(ShardGuess, BinsAreInTheOrderOfKeysAndOfEqualWidth) {
  const std::uint32_t key = ordered_key(3.0F, NanRank::first);
  for (std::uint32_t narrower = 0; narrower <= kWidestBinBits; ++narrower) {
    const ShardGuess guess = guess_about(key, narrower);
    const std::uint32_t width = 1U << bin_bits(guess);
    EXPECT_EQ(bin_of(guess, guess.low - 1), kBinBelow);
    EXPECT_EQ(bin_of(guess, 0), kBinBelow);
    EXPECT_EQ(bin_of(guess, key), kShardBins / 2);
    for (std::uint32_t bin = 1; bin < kBinAbove; ++bin) {
      EXPECT_EQ(first_key_of(guess, bin), guess.low + (bin - 1) * width);
      EXPECT_EQ(bin_of(guess, first_key_of(guess, bin)), bin);
      EXPECT_EQ(bin_of(guess, first_key_of(guess, bin) + width - 1), bin);
    }
    EXPECT_EQ(bin_of(guess, guess.low + (kBinAbove - 1) * width), kBinAbove);
    EXPECT_EQ(bin_of(guess, 0xffffffffU), kBinAbove);
  }
}

TEST(ShardGuess, IsWidenedByMissesAndNarrowedByManyFinalists) {
  const ShardGuess guess = guess_about(ordered_key(3.0F, NanRank::first), 3);
  EXPECT_EQ(next_guess(guess, choice_of({kBinBelow, 5}, 100)).narrower, 2U);
  EXPECT_EQ(next_guess(guess, choice_of({kBinAbove, 5}, 100)).low, guess.low);
  EXPECT_EQ(next_guess(guess, choice_of({9, 5}, kShardFinalists + 1)).narrower, 5U);
  EXPECT_EQ(next_guess(guess, choice_of({9, 5}, kShardFinalists)).narrower, 4U);
  EXPECT_EQ(next_guess(guess, choice_of({9, 5}, 5)).narrower, 2U);
  const ShardGuess next = next_guess(guess, choice_of({9, 5}, 200));
  EXPECT_EQ(next.narrower, 3U);
  EXPECT_EQ(bin_of(next, first_key_of(guess, 9)), kShardBins / 2);
  EXPECT_EQ(next_guess(guess, all_of_shards()).low, guess.low);
}

}  // namespace
}  // namespace stepscope::kernels
