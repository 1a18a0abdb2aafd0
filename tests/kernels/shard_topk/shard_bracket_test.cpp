// SPDX-License-Identifier: Apache-2.0
#include "kernels/shard_topk/shard_bracket.hpp"

#include <gtest/gtest.h>

#include "kernels/common/ordered_key.hpp"

namespace stepscope::kernels {
namespace {

const std::uint32_t kKey = ordered_key(2.5F, NanRank::first);

SweepFound decided(std::uint32_t least, std::int64_t wanted, std::int64_t candidates) {
  return {{SweepVerdict::decided, wanted}, candidates, least};
}

ShardBracket after(const ShardBracket& bracket, const SweepFound& found, std::int64_t count,
                   std::int64_t shards) {
  return next_bracket(bracket, swept_keys(bracket, kLeastNumberKey), found, count, shards);
}

TEST(ShardBracket, EndsStayKeys) {
  EXPECT_EQ(bracket_about(5, 100, 100).keys.low, 0U);
  EXPECT_EQ(bracket_about(0xfffffff0U, 100, 100).keys.high, 0xffffffffU);
  const ShardBracket widest = bracket_about(kKey, std::int64_t{1} << 40, std::int64_t{1} << 40);
  EXPECT_LE(bit_width_of(widest.keys.high - widest.keys.low) + kMostPlaceBits, 64);
  EXPECT_EQ(bracket_about(kKey, 0, 0).below, kLeastSide);
}

TEST(ShardBracket, NoKeyBelowTheFloorIsSwept) {
  const ShardBracket bracket = bracket_about(kKey, 1000, 1000);
  EXPECT_EQ(swept_keys(bracket, kKey - 5).low, kKey - 5);
  EXPECT_EQ(swept_keys(bracket, kKey - 5).high, kKey + 1000);
  EXPECT_EQ(swept_keys(bracket, kKey + 2000).high, kKey + 2000);
  EXPECT_EQ(swept_keys({}, 1).low, 1U);
}

TEST(ShardBracket, BinsHoldTheWholeBracket) {
  for (const std::uint32_t keys : {0U, 1U, 2047U, 2048U, 4095U, 4096U, 1U << 20, 1U << 30}) {
    const BatchTopkWarmStart swept{kKey, kKey + keys};
    EXPECT_LT(keys >> bin_shift(swept), kShardBins);
    EXPECT_TRUE(bin_shift(swept) == 0 || keys >> (bin_shift(swept) - 1) >= kShardBins);
  }
}

TEST(SweepChoice, IsMadeBySumsAlone) {
  SweepSums sums;
  sums.add(10, 5);
  sums.add(20, 7);
  EXPECT_EQ(sweep_choice(sums, 29, false).verdict, SweepVerdict::few);
  EXPECT_EQ(sweep_choice(sums, 43, false).verdict, SweepVerdict::few);
  for (const std::int64_t wanted : {0, 1, 12}) {
    EXPECT_EQ(sweep_choice(sums, 30 + wanted, false).verdict, SweepVerdict::decided);
    EXPECT_EQ(sweep_choice(sums, 30 + wanted, false).wanted, wanted);
  }
  // None is left below: all that may be selected are.
  EXPECT_EQ(sweep_choice(sums, 43, true).verdict, SweepVerdict::decided);
  EXPECT_EQ(sweep_choice(sums, 43, true).wanted, 12);
  EXPECT_EQ(sweep_choice(sums, 29, true).verdict, SweepVerdict::few);
  EXPECT_EQ(sweep_choice({}, -3, false).verdict, SweepVerdict::decided);
  sums.add(0, -9000);
  sums.add(0, 1);
  EXPECT_EQ(sums.candidates, 9013);
  EXPECT_EQ(sweep_choice(sums, 31, false).verdict, SweepVerdict::many);
}

TEST(NextBracket, IsAboutTheLeastSelectedKeyAndHoldsWhatIsWished) {
  constexpr std::int64_t kCount = 200'000, kShards = 4;
  const std::int64_t wished = wished_candidates(kCount, kShards);
  EXPECT_EQ(wished, kCount / 20);
  const ShardBracket bracket = bracket_about(kKey, 100'000, 100'000);
  // A candidate each eighth key below, each twelfth above.
  const std::uint32_t least = kKey + 40'000;
  const ShardBracket next = after(bracket, decided(least, 5'000, 5'000 + 17'500), kCount, kShards);
  EXPECT_EQ(next.centre, least);
  EXPECT_EQ(next.below, 140'000U * wished / 17'500U);
  EXPECT_EQ(next.above, 60'000U * wished / 5'000U);
  EXPECT_EQ(next.keys.low, least - next.below);
  EXPECT_EQ(next.keys.high, least + next.above);
}

TEST(NextBracket, ChangesItsWidthByTwoAtMost) {
  const ShardBracket bracket = bracket_about(kKey, 1000, 3000);
  const ShardBracket wider = after(bracket, decided(kKey + 2999, 1, 2), 200'000, 4);
  EXPECT_EQ(wider.below, 2000U);
  EXPECT_EQ(wider.above, 3000U * 2);  // half full by one key of ten thousand wished
  const ShardBracket narrower = after(bracket, decided(kKey, 15'000, 30'000), 20'000, 4);
  EXPECT_EQ(narrower.below, 500U);
  EXPECT_EQ(narrower.above, 1500U);
  const ShardBracket empty = after(bracket, decided(kKey - 1000, 9, 9), 200'000, 4);
  EXPECT_EQ(empty.below, 2000U);
}

// Above the least of a few there can be no more.
TEST(NextBracket, WishesNoMoreAboveThanAreSelected) {
  const ShardBracket next = after(bracket_about(kKey, 1000, 1000), decided(kKey, 3, 40), 3, 2);
  EXPECT_EQ(next.above, 1000U);
}

// All that are selected are above the bracket: nothing is known of the least.
TEST(NextBracket, StaysWhereNoCandidateIsSelected) {
  const ShardBracket bracket = bracket_about(kKey, 1000, 3000);
  const ShardBracket next = after(bracket, decided(0, 0, 10), 200'000, 4);
  EXPECT_EQ(next.centre, kKey);
  EXPECT_EQ(next.below, 1000U);
  EXPECT_EQ(next.above, 3000U);
}

TEST(NextBracket, WishesNoMoreThanShardsCanTell) {
  EXPECT_EQ(wished_candidates(10'000'000, 2), 2 * kShardCandidates / 3);
  EXPECT_LE(2 * wished_candidates(10'000'000, 1), kShardCandidates);
  EXPECT_EQ(wished_candidates(1, 1), 32);
}

TEST(NextBracket, IsWiderWhereItMissedAndNarrowerWhereItHeldTooMany) {
  const ShardBracket bracket = bracket_about(kKey, 1 << 20, 1 << 21);
  const ShardBracket wider = after(bracket, {{SweepVerdict::few, 0}, 100}, 200'000, 4);
  EXPECT_EQ(wider.centre, kKey);
  EXPECT_EQ(wider.below, 1U << 21);
  EXPECT_EQ(wider.above, 1U << 22);
  const ShardBracket half = after(bracket, {{SweepVerdict::many, 5}, 15'000}, 200'000, 4);
  EXPECT_EQ(half.below, 1U << 19);
  EXPECT_EQ(half.above, 1U << 20);
  // A hundred times as many as wished on both sides: so much narrower at once.
  const ShardBracket far = after(bracket, {{SweepVerdict::many, 0}, 1'000'000}, 200'000, 4);
  EXPECT_EQ(far.below, far.above);
  EXPECT_EQ(far.above, 3 * (1U << 20) / 100);
}

TEST(NextBracket, KnowsNothingUntilItIsToldAKey) {
  for (const SweepVerdict verdict : {SweepVerdict::decided, SweepVerdict::few, SweepVerdict::many})
    EXPECT_FALSE(is_known(after({}, {{verdict, 1}, 10, 1}, 100, 2)));
  EXPECT_FALSE(is_known(moved_to({}, {})));
  const ShardBracket first = moved_to({}, guess_about(kKey, 7));
  EXPECT_EQ(first.centre, kKey);
  EXPECT_EQ(first.below, kFirstSide);
  const ShardBracket moved = moved_to(bracket_about(3, 70, 80), guess_about(kKey, 0));
  EXPECT_EQ(moved.centre, kKey);
  EXPECT_EQ(moved.below, 70U);
  EXPECT_EQ(moved.above, 80U);
}

}  // namespace
}  // namespace stepscope::kernels
