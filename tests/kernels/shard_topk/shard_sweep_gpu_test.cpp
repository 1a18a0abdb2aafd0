// SPDX-License-Identifier: Apache-2.0
// The kernels against the whole matrix's selection, and number by number against their counterpart
// in host memory: shards lie side by side on one GPU, and what they publish goes through the host.
#include "kernels/shard_topk/shard_sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "kernels/batch_topk/batch_topk_collect.hpp"
#include "kernels/shard_topk/swept_keys.hpp"
#include "tests/kernels/shard_topk/shard_on_device.hpp"

namespace stepscope::kernels {
namespace {

// What a shard keeps from one selection to the next, and one selection of it.
struct SweepOnDevice {
  SweepOnDevice() : state(1), published(kShardPublished), outcome(1) { state.fill_bytes(0); }

  template <class T>
  ShardSweepArguments arguments_of(const ShardOnDevice<T>& shard, std::int64_t groups) {
    ShardSweepArguments arguments;
    arguments.matrix = shard.matrix;
    arguments.matrix.workspace_bytes = batch_topk_workspace_bytes(shard.matrix);
    workspace = DeviceBuffer<std::byte>(arguments.matrix.workspace_bytes);
    arguments.matrix.workspace = workspace.data();
    arguments.groups = groups;
    arguments.state = state.data();
    arguments.published = published.data();
    arguments.outcome = outcome.data();
    return arguments;
  }
  ShardBracket bracket() const { return state.to_host()[0].bracket; }

  DeviceBuffer<ShardSweepState> state;
  DeviceBuffer<std::int64_t> published;
  DeviceBuffer<ShardCutOutcome> outcome;
  DeviceBuffer<std::byte> workspace;
};

void expect_same(const ShardBracket& found, const ShardBracket& expected) {
  EXPECT_EQ(found.keys.low, expected.keys.low);
  EXPECT_EQ(found.keys.high, expected.keys.high);
  EXPECT_EQ(found.centre, expected.centre);
  EXPECT_EQ(found.below, expected.below);
  EXPECT_EQ(found.above, expected.above);
}

// Candidates are published in any order.
void expect_same_published(std::vector<std::int64_t> found, std::vector<std::int64_t> expected) {
  std::sort(found.begin() + 2, found.end());
  std::sort(expected.begin() + 2, expected.end());
  EXPECT_EQ(found, expected);
}

template <class T>
class SweepingShards {
 public:
  SweepingShards(const WholeShape& shape, SpreadBy by, std::int64_t shards)
      : shape_(shape),
        groups_(groups_of(shape, by)),
        parts_(parts_of(shape, by, shards)),
        kept_(parts_.size()) {}

  // Whether all say that it is decided.
  bool select(const WholeMatrix<T>& whole) {
    Selection selection = collected(whole);
    const DeviceBuffer<std::int64_t> all(selection.all_published);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      EXPECT_EQ(shard_sweep_settle(selection.arguments[i], all.data(), static_cast<std::int64_t>(i),
                                   std::ssize(parts_), stream_.get())
                    .message(),
                "");
    wait(stream_);
    expect_settled(selection, whole);
    return kept_[0].outcome.to_host()[0].decided != 0;
  }

  // As shard_cut would publish it.
  void learn(std::uint32_t key) {
    ShardCutState found{};
    found.guess = guess_about(key, 12);
    const DeviceBuffer<ShardCutState> cut(std::vector<ShardCutState>{found});
    for (SweepOnDevice& kept : kept_)
      EXPECT_EQ(shard_sweep_learn(kept.state.data(), cut.data(), stream_.get()).message(), "");
    wait(stream_);
  }

 private:
  struct Selection {
    std::vector<std::unique_ptr<ShardOnDevice<T>>> shards;
    std::vector<ShardSweepArguments> arguments;
    std::vector<SweptKeys> expected;
    std::vector<std::int64_t> all_published;
  };

  Selection collected(const WholeMatrix<T>& whole) {
    Selection selection;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const auto part = whole.part(parts_[i]);
      selection.expected.emplace_back(part.arguments, kept_[i].bracket(), groups_);
      selection.shards.push_back(std::make_unique<ShardOnDevice<T>>(part));
      selection.arguments.push_back(kept_[i].arguments_of(*selection.shards.back(), groups_));
      EXPECT_EQ(shard_sweep_collect(selection.arguments.back(), stream_.get()).message(), "");
      wait(stream_);
      const std::vector<std::int64_t> published = kept_[i].published.to_host();
      expect_same_published(published, selection.expected.back().published());
      selection.all_published.insert(selection.all_published.end(), published.begin(),
                                     published.end());
    }
    return selection;
  }

  void expect_settled(const Selection& selection, const WholeMatrix<T>& whole) const {
    const auto shards = std::ssize(parts_);
    const SweepCut cut = selection.expected[0].cut(selection.all_published.data(), shards);
    const bool decided = cut.found.choice.verdict == SweepVerdict::decided;
    const std::vector<std::uint8_t> selected = whole.selected();
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const ShardCutOutcome outcome = kept_[i].outcome.to_host()[0];
      EXPECT_EQ(outcome.decided, decided ? 1 : 0);
      expect_same(kept_[i].bracket(), selection.expected[i].next(cut, shards));
      const std::vector<std::uint8_t> expected = part_of(selected, shape_, parts_[i]);
      const auto own = std::count(expected.begin(), expected.end(), std::uint8_t{1});
      EXPECT_EQ(outcome.own_count, decided ? own : 0);
      if (!decided) continue;
      EXPECT_EQ(selection.shards[i]->selected(), expected) << "shard " << i << " of " << shards;
    }
  }

  const WholeShape shape_;
  const std::int64_t groups_;
  const std::vector<ShardPart> parts_;
  std::vector<SweepOnDevice> kept_;
  const Stream stream_;
};

template <class T>
class ShardSweep : public ShardsTest<T> {};
TYPED_TEST_SUITE(ShardSweep, ShardKeyTypes);

// As many as wanted.
template <class T>
bool selects_all(WholeMatrix<T>& whole) {
  const std::vector<std::uint8_t> bytes = whole.selected();
  return std::count(bytes.begin(), bytes.end(), std::uint8_t{1}) == whole.arguments().count;
}

template <class T>
void expect_shards_select_as_the_whole(const ShardedCase& one) {
  if (one.source == KeySource::raw && sizeof(T) < sizeof(float)) return;
  WholeMatrix<T> whole(one.shape, one.source, one.seed);
  whole.arguments().count = one.count;
  whole.arguments().positives_only = one.seed % 3 == 0;
  const bool enough = selects_all(whole);
  for (const std::int64_t shards : one.shards) {
    SweepingShards<T> sweeping(one.shape, one.by, shards);
    (void)sweeping.select(whole);
    sweeping.learn(whole.least());
    for (int turn = 0; turn < 2; ++turn)
      ASSERT_EQ(sweeping.select(whole), enough)
          << "seed " << one.seed << ", count " << one.count << ", " << shards << " shards";
  }
}

TYPED_TEST(ShardSweep, ShardsSelectAsTheWholeOnRandomShapes) {
  on_random_shapes({8, 28, 60, 1}, expect_shards_select_as_the_whole<TypeParam>);
}

template <class T>
std::vector<T> normal_keys(const WholeShape& shape, double addend) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<T> keys(static_cast<std::size_t>(shape.rows * shape.columns()));
  for (T& key : keys) assign(key, normal(random) + addend);
  return keys;
}

// Rows and columns of more than one strip, and keys that drift, then leap. Short keys are lumps.
TYPED_TEST(ShardSweep, ShardsFollowKeysThatDrift) {
  const WholeShape shape{96, 2, 1088};
  SweepingShards<TypeParam> sweeping(shape, SpreadBy::features, 4);
  for (int turn = 0; turn < 6; ++turn) {
    WholeMatrix<TypeParam> whole(shape, KeySource::affine, 3,
                                 normal_keys<TypeParam>(shape, 0.003 * turn + (turn > 3 ? 1 : 0)));
    whole.arguments().count = 4000;
    const bool known = turn != 0 && turn != 4;
    const bool decided = sweeping.select(whole);
    EXPECT_TRUE(decided == known || sizeof(TypeParam) < sizeof(float)) << "turn " << turn;
    if (!known) sweeping.learn(whole.least());
  }
}

// More candidates than a shard fits, then fewer.
TYPED_TEST(ShardSweep, TooManyCandidatesAreNotDecided) {
  const WholeShape shape{96, 1, 200};
  SweepingShards<TypeParam> sweeping(shape, SpreadBy::features, 2);
  for (const bool equal : {true, false}) {
    auto keys = normal_keys<TypeParam>(shape, 0);
    if (equal) std::fill(keys.begin(), keys.end(), keys[0]);
    WholeMatrix<TypeParam> whole(shape, KeySource::affine, 3, std::move(keys));
    whole.arguments().count = 400;
    std::fill_n(whole.arguments().column_keys.mean, shape.columns(), -3.0F);
    std::fill_n(whole.arguments().column_keys.scale, shape.columns(), 1.5F);
    sweeping.learn(whole.least());
    for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(sweeping.select(whole), !equal);
  }
}

template <class T>
void expect_nan_are_selected_as_in_the_whole(KeySource source, NanPolicy policy,
                                             std::int64_t count) {
  const WholeShape shape{40, 2, 5};
  std::mt19937 random(5);
  std::vector<T> keys(static_cast<std::size_t>(shape.rows * shape.columns()));
  for (T& key : keys)
    assign(key, between(random, 0, 30) == 0 ? std::numeric_limits<double>::quiet_NaN()
                                            : static_cast<double>(between(random, -9, 9)));
  WholeMatrix<T> whole(shape, source, 2, std::move(keys));
  whole.arguments().count = count;
  whole.arguments().nan = policy;
  SweepingShards<T> sweeping(shape, SpreadBy::features, 7);
  (void)sweeping.select(whole);
  sweeping.learn(whole.least());
  EXPECT_EQ(sweeping.select(whole), selects_all(whole))
      << "count " << count << (source == KeySource::raw ? ", raw" : "");
}

TYPED_TEST(ShardSweep, NanCountsAndEmptyShards) {
  for (const NanPolicy policy : {NanPolicy::select, NanPolicy::reject})
    for (const std::int64_t count : {0, 1, 9, 200, 400, 500}) {
      expect_nan_are_selected_as_in_the_whole<TypeParam>(KeySource::affine, policy, count);
      if (sizeof(TypeParam) == sizeof(float))
        expect_nan_are_selected_as_in_the_whole<TypeParam>(KeySource::raw, policy, count);
    }
}

TYPED_TEST(ShardSweep, BadArgumentsAreNamed) {
  const WholeMatrix<TypeParam> whole({4, 1, 8}, KeySource::affine, 1);
  const ShardOnDevice<TypeParam> shard(whole.part({0, 4, 0, 8}));
  SweepOnDevice kept;
  const ShardSweepArguments good = kept.arguments_of(shard, 1);
  const std::int64_t* const all = kept.published.data();
  const auto where = [](const Status& status) { return std::string(status.where()); };
  EXPECT_EQ(where(shard_sweep_settle(good, all, 1, 1, nullptr)), "shard");
  EXPECT_EQ(where(shard_sweep_settle(good, all, 0, kMostShards + 1, nullptr)), "shards");
  EXPECT_EQ(where(shard_sweep_settle(good, nullptr, 0, 1, nullptr)), "all_published");
  EXPECT_EQ(where(shard_sweep_learn(nullptr, nullptr, nullptr)), "state");
  EXPECT_EQ(where(shard_sweep_learn(kept.state.data(), nullptr, nullptr)), "found");
  EXPECT_EQ(where(batch_topk_collect(good.matrix, nullptr)), "warm_start");
  ShardSweepArguments bad = good;
  bad.matrix.workspace_bytes = 0;
  EXPECT_EQ(where(shard_sweep_collect(bad, nullptr)), "workspace_bytes");
}

}  // namespace
}  // namespace stepscope::kernels
