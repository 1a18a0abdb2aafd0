// SPDX-License-Identifier: Apache-2.0
// Shards in host memory that publish their keys within a bracket set the bits of the whole matrix's
// selection, or find alike that they cannot, over sequences of selections.
#include "kernels/shard_topk/swept_keys.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "tests/kernels/shard_topk/whole_and_shards.hpp"

namespace stepscope::kernels {
namespace {

bool same(const ShardBracket& a, const ShardBracket& b) {
  return a.keys.low == b.keys.low && a.keys.high == b.keys.high && a.centre == b.centre &&
         a.below == b.below && a.above == b.above;
}

// What they keep from one selection to the next, and the exchange.
class SweepingShards {
 public:
  SweepingShards(const WholeShape& shape, SpreadBy by, std::int64_t shards)
      : shape_(shape), by_(by), parts_(parts_of(shape, by, shards)) {}

  // Whether it is decided; then each shard's mask is its part of the whole's.
  template <class T>
  bool select(const WholeMatrix<T>& whole) {
    std::vector<SweptKeys> keys;
    std::vector<std::int64_t> all;
    for (const ShardPart& of : parts_) {
      keys.emplace_back(whole.part(of).arguments, bracket_, groups_of(shape_, by_));
      for (const std::int64_t number : keys.back().published()) all.push_back(number);
    }
    last_ = keys[0].cut(all.data(), std::ssize(keys));
    const bool decided = last_.found.choice.verdict == SweepVerdict::decided;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const SweepCut own = keys[i].cut(all.data(), std::ssize(keys));
      EXPECT_EQ(own.found.choice.verdict, last_.found.choice.verdict);
      EXPECT_TRUE(same(keys[i].next(own, std::ssize(keys)), keys[0].next(last_, std::ssize(keys))));
      if (decided) expect_part(whole, keys[i], all, i);
    }
    bracket_ = keys[0].next(last_, std::ssize(keys));
    return decided;
  }

  // As shard_cut would publish it.
  template <class T>
  void learn(const WholeMatrix<T>& whole) {
    bracket_ = moved_to(bracket_, guess_about(whole.least(), 12));
  }

  const ShardBracket& bracket() const { return bracket_; }
  const SweepCut& last() const { return last_; }

 private:
  template <class T>
  void expect_part(const WholeMatrix<T>& whole, const SweptKeys& keys,
                   const std::vector<std::int64_t>& all, std::size_t shard) const {
    const std::vector<std::uint8_t> expected = part_of(whole.selected(), shape_, parts_[shard]);
    std::vector<std::uint8_t> bytes(expected.size(), 7);
    const std::int64_t own = keys.select(last_, all.data(), static_cast<std::int64_t>(shard),
                                         std::ssize(parts_), bytes.data());
    EXPECT_EQ(bytes, expected) << "shard " << shard << " of " << parts_.size();
    EXPECT_EQ(own, std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
  }

  const WholeShape shape_;
  const SpreadBy by_;
  const std::vector<ShardPart> parts_;
  ShardBracket bracket_;
  SweepCut last_;
};

template <class T>
std::int64_t selected_of(const WholeMatrix<T>& whole) {
  const std::vector<std::uint8_t> bytes = whole.selected();
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// Covers each type that is ranked as float: from nothing, then as it was learnt, then by itself.
template <class T>
void expect_sweeps_select_as_the_whole(const ShardedCase& one) {
  if (one.source == KeySource::raw && sizeof(T) < sizeof(float)) return;
  WholeMatrix<T> whole(one.shape, one.source, one.seed);
  whole.arguments().count = one.count;
  whole.arguments().positives_only = one.seed % 3 == 0;
  const bool enough = selected_of(whole) == one.count;
  for (const std::int64_t shards : {1, 2, 3, 4, 8}) {
    SweepingShards sweeping(one.shape, one.by, shards);
    (void)sweeping.select(whole);
    sweeping.learn(whole);
    for (int turn = 0; turn < 3; ++turn)
      ASSERT_EQ(sweeping.select(whole), enough)
          << "seed " << one.seed << ", count " << one.count << ", turn " << turn << ", " << shards;
  }
}

TEST(SweptKeys, SelectAsTheWholeOnRandomShapes) {
  constexpr RandomShapes kShapes{30, 28, 38, 1};
  on_random_shapes(kShapes, expect_sweeps_select_as_the_whole<Bfloat16>);
  on_random_shapes(kShapes, expect_sweeps_select_as_the_whole<Float16>);
  on_random_shapes(kShapes, expect_sweeps_select_as_the_whole<float>);
}

// Some of the shards have no columns.
TEST(SweptKeys, EmptyShardsTellNothing) {
  const WholeShape shape{20, 2, 5};
  WholeMatrix<float> whole(shape, KeySource::affine, 4);
  whole.arguments().count = 30;
  SweepingShards sweeping(shape, SpreadBy::features, 8);
  sweeping.learn(whole);
  EXPECT_TRUE(sweeping.select(whole));
}

constexpr WholeShape kShape{64, 3, 37};

std::size_t entries_of(const WholeShape& shape) {
  return static_cast<std::size_t>(shape.rows * shape.columns());
}

struct RawKeys : WholeMatrix<float> {
  RawKeys(const WholeShape& shape, std::int64_t count, std::vector<float> keys)
      : WholeMatrix(shape, KeySource::raw, 1, std::move(keys)) {
    arguments().count = count;
  }
};

struct NormalKeys : RawKeys {
  NormalKeys(double addend, std::int64_t count) : RawKeys(kShape, count, made(addend)) {}

  static std::vector<float> made(double addend) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    std::vector<float> keys(entries_of(kShape));
    for (float& key : keys) key = static_cast<float>(normal(random) + addend);
    return keys;
  }
};

struct EqualKeys : RawKeys {
  EqualKeys(const WholeShape& shape, std::int64_t count)
      : RawKeys(shape, count, std::vector<float>(entries_of(shape), 1.0F)) {}
};

TEST(SweptKeys, FollowKeysThatDrift) {
  for (const std::int64_t shards : {1, 2, 3, 4, 8})
    for (const SpreadBy by : {SpreadBy::features, SpreadBy::rows}) {
      SweepingShards sweeping(kShape, by, shards);
      const NormalKeys first(0, 900);
      EXPECT_FALSE(sweeping.select(first));
      sweeping.learn(first);
      for (int turn = 1; turn < 12; ++turn)
        EXPECT_TRUE(sweeping.select(NormalKeys(turn * 0.004, 900))) << "turn " << turn;
      const std::int64_t wished = wished_candidates(900, shards);
      EXPECT_GT(sweeping.last().found.candidates, wished);
      EXPECT_LT(sweeping.last().found.candidates, 4 * wished);
    }
}

TEST(SweptKeys, LeapsAreUndecidedAndLearnt) {
  SweepingShards sweeping(kShape, SpreadBy::features, 4);
  sweeping.learn(NormalKeys(0, 900));
  EXPECT_TRUE(sweeping.select(NormalKeys(0, 900)));
  for (const double addend : {2.0, -2.0}) {
    const ShardBracket before = sweeping.bracket();
    const NormalKeys leapt(addend, 900);
    EXPECT_FALSE(sweeping.select(leapt));
    EXPECT_EQ(sweeping.last().found.choice.verdict, SweepVerdict::few);
    EXPECT_EQ(sweeping.bracket().below, 2 * before.below);
    EXPECT_EQ(sweeping.bracket().centre, before.centre);
    sweeping.learn(leapt);
    EXPECT_TRUE(sweeping.select(leapt));
  }
}

TEST(SweptKeys, CountsOfNoneOneAndAll) {
  const std::int64_t entries = kShape.rows * kShape.columns();
  for (const std::int64_t shards : {1, 3, 8}) {
    for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{0}, entries, entries + 5}) {
      SweepingShards sweeping(kShape, SpreadBy::features, shards);
      for (int turn = 0; turn < 3; ++turn) EXPECT_TRUE(sweeping.select(NormalKeys(0, count)));
    }
    for (const std::int64_t count : {std::int64_t{1}, entries - 1}) {
      SweepingShards sweeping(kShape, SpreadBy::features, shards);
      EXPECT_FALSE(sweeping.select(NormalKeys(0, count)));
      sweeping.learn(NormalKeys(0, count));
      for (int turn = 0; turn < 40; ++turn) EXPECT_TRUE(sweeping.select(NormalKeys(0, count)));
    }
  }
}

TEST(SweptKeys, NanIsSelectedFirstOrNever) {
  for (const NanPolicy policy : {NanPolicy::select, NanPolicy::reject})
    for (const std::int64_t count : {20, 70, 300}) {
      std::vector<float> keys(entries_of(kShape));
      std::mt19937 random(5);
      for (float& key : keys) key = static_cast<float>(between(random, -500, 500));
      for (std::size_t i = 0; i < keys.size(); i += 101)
        keys[i] = std::numeric_limits<float>::quiet_NaN();
      RawKeys whole(kShape, count, std::move(keys));
      whole.arguments().nan = policy;
      SweepingShards sweeping(kShape, SpreadBy::features, 4);
      sweeping.learn(whole);
      for (int turn = 0; turn < 3; ++turn) EXPECT_TRUE(sweeping.select(whole));
    }
}

// Up to kShardFinalists are ranked one by one.
TEST(SweptKeys, TooManyEqualKeysAreNotDecided) {
  for (const std::int64_t features : {16, 17}) {
    const WholeShape shape{64, 1, features};
    SweepingShards sweeping(shape, SpreadBy::features, 3);
    sweeping.learn(EqualKeys(shape, 100));
    for (int turn = 0; turn < 20; ++turn) {
      EXPECT_EQ(sweeping.select(EqualKeys(shape, 100)), features == 16);
      EXPECT_GE(sweeping.bracket().below, kLeastSide);
    }
  }
}

// Both ends are candidates.
TEST(SweptKeys, TellKeysFromTheBracketsLowToItsHigh) {
  const std::uint32_t key = ordered_key(1.5F, NanRank::first);
  const ShardBracket bracket = bracket_about(key, 100, 200);
  std::vector<float> keys;
  for (const std::uint32_t of : {key - 101, key - 100, key, key + 200, key + 201, key + 999})
    keys.push_back(float_of_ordered(of, KeyType::float32));
  const WholeShape shape{1, 3, 2};
  const RawKeys whole(shape, 3, std::move(keys));
  const std::vector<std::int64_t> published =
      SweptKeys(whole.part({0, 1, 0, 2}).arguments, bracket, shape.layers).published();
  EXPECT_EQ(published[0], 2);
  ASSERT_EQ(published[1], 3);
  EXPECT_EQ(published[2], finalist_code(key - 100, key - 100, 0));
  EXPECT_EQ(published[3], finalist_code(key, key - 100, 1));
  EXPECT_EQ(published[4], finalist_code(key + 200, key - 100, 1));
}

// All in the bracket, and none like another.
TEST(SweptKeys, AShardTellsSoManyCandidatesAndNoMore) {
  for (const std::int64_t rows : {kShardCandidates / 64, kShardCandidates / 64 + 1}) {
    const WholeShape shape{rows, 1, 64};
    std::vector<float> keys(entries_of(shape));
    std::uint32_t key = ordered_key(1.5F, NanRank::first);
    for (float& of : keys) of = float_of_ordered(key++, KeyType::float32);
    const RawKeys whole(shape, 5000, std::move(keys));
    SweepingShards sweeping(shape, SpreadBy::features, 1);
    sweeping.learn(whole);
    EXPECT_EQ(sweeping.select(whole), rows * 64 == kShardCandidates);
    (void)sweeping.select(whole);
    EXPECT_TRUE(sweeping.select(whole));  // narrower by now
  }
}

// One shard's candidates are more than it can publish; when they are fewer, all is well again.
TEST(SweptKeys, MoreCandidatesThanAShardTellsAreNotDecided) {
  const WholeShape shape{kShardCandidates / 64 + 1, 1, 64};
  SweepingShards sweeping(shape, SpreadBy::features, 1);
  sweeping.learn(EqualKeys(shape, 9));
  EXPECT_FALSE(sweeping.select(EqualKeys(shape, 9)));
  EXPECT_EQ(sweeping.last().found.choice.verdict, SweepVerdict::many);
  EXPECT_EQ(sweeping.last().found.candidates, kShardCandidates + 64);
  EXPECT_LT(sweeping.bracket().above, kFirstSide);
  EXPECT_LT(sweeping.bracket().below, kFirstSide);
  std::vector<float> keys(entries_of(shape));
  std::iota(keys.begin(), keys.end(), 1.0F);
  const RawKeys spread(shape, 5000, std::move(keys));
  sweeping.learn(spread);
  EXPECT_TRUE(sweeping.select(spread));
}

}  // namespace
}  // namespace stepscope::kernels
