// SPDX-License-Identifier: Apache-2.0
// The kernels against the whole matrix's selection: shards lie side by side on one GPU, and what
// they would exchange goes through the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/shard_topk/shard_cut.hpp"
#include "tests/kernels/shard_topk/shard_on_device.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
struct CutOnDevice {
  CutOnDevice(const typename WholeMatrix<T>::Part& part, std::int64_t groups)
      : shard(part), state(1), counts(kShardBins), finalists(1 + kShardFinalists), outcome(1) {
    state.fill_bytes(0);
    arguments.matrix = shard.matrix;
    arguments.groups = groups;
    arguments.state = state.data();
    arguments.counts = counts.data();
    arguments.finalists = finalists.data();
    arguments.outcome = outcome.data();
  }

  ShardOnDevice<T> shard;
  DeviceBuffer<ShardCutState> state;
  DeviceBuffer<std::int64_t> counts, finalists;
  DeviceBuffer<ShardCutOutcome> outcome;
  ShardCutArguments arguments;
};

// In place of the all-reduce and the all-gather.
template <class T>
void count_together(std::vector<CutOnDevice<T>>& shards, const Stream& stream) {
  std::vector<std::int64_t> sums(kShardBins);
  for (CutOnDevice<T>& shard : shards) {
    EXPECT_EQ(shard_cut_count(shard.arguments, stream.get()).message(), "");
    wait(stream);
    const std::vector<std::int64_t> own = shard.counts.to_host();
    for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += own[bin];
  }
  for (CutOnDevice<T>& shard : shards) shard.counts.put(sums);
}

template <class T>
void settle_together(std::vector<CutOnDevice<T>>& shards, const Stream& stream) {
  std::vector<std::int64_t> all;
  for (CutOnDevice<T>& shard : shards) {
    EXPECT_EQ(shard_cut_list(shard.arguments, stream.get()).message(), "");
    wait(stream);
    for (const std::int64_t published : shard.finalists.to_host()) all.push_back(published);
  }
  const DeviceBuffer<std::int64_t> on_device(all);
  for (std::size_t i = 0; i < shards.size(); ++i)
    EXPECT_EQ(shard_cut_settle(shards[i].arguments, on_device.data(), static_cast<std::int64_t>(i),
                               std::ssize(shards), stream.get())
                  .message(),
              "");
  wait(stream);
}

// Whether all shards say that it is decided; none may say otherwise than the others.
template <class T>
bool select_together(std::vector<CutOnDevice<T>>& shards, const Stream& stream) {
  // Each marks its own greatest, with the whole matrix's count.
  for (CutOnDevice<T>& own : shards) own.shard.select(stream);
  count_together(shards, stream);
  settle_together(shards, stream);
  const std::int64_t decided = shards.front().outcome.to_host()[0].decided;
  for (CutOnDevice<T>& shard : shards) {
    const ShardCutOutcome outcome = shard.outcome.to_host()[0];
    EXPECT_EQ(outcome.decided, decided);
    const std::vector<std::uint8_t> bytes = shard.shard.selected();
    const auto set = std::count(bytes.begin(), bytes.end(), std::uint8_t{1});
    EXPECT_EQ(outcome.own_count, decided != 0 ? set : 0);
  }
  return decided != 0;
}

// As shard_topk's rounds would publish it.
template <class T>
void learn(std::vector<CutOnDevice<T>>& shards, std::uint32_t least, const Stream& stream) {
  const DeviceBuffer<ShardTopkState> found(std::vector<ShardTopkState>{{least, 1, 1}});
  for (CutOnDevice<T>& shard : shards)
    EXPECT_EQ(shard_cut_learn(shard.arguments, found.data(), stream.get()).message(), "");
  wait(stream);
}

template <class T>
class ShardCut : public ShardsTest<T> {};
TYPED_TEST_SUITE(ShardCut, ShardKeyTypes);

template <class T>
void expect_shards_select_as_the_whole(const ShardedCase& of) {
  const Stream stream;
  WholeMatrix<T> whole(of.shape, of.source, of.seed);
  whole.arguments().count = of.count;
  whole.arguments().positives_only = of.seed % 3 == 0;
  const std::vector<std::uint8_t> expected = whole.selected();
  const std::uint32_t least = whole.least();
  for (const std::int64_t shards : of.shards) {
    const std::vector<ShardPart> parts = parts_of(of.shape, of.by, shards);
    std::vector<CutOnDevice<T>> on_device;
    for (const ShardPart& part : parts)
      on_device.emplace_back(whole.part(part), groups_of(of.shape, of.by));
    for (int turn = 0; turn < 3; ++turn) {
      if (turn == 1) learn(on_device, least, stream);
      const bool decided = select_together(on_device, stream);
      ASSERT_TRUE(decided || turn == 0) << "seed " << of.seed << ", count " << of.count;
      for (std::size_t i = 0; decided && i < parts.size(); ++i)
        ASSERT_EQ(on_device[i].shard.selected(), part_of(expected, of.shape, parts[i]))
            << "shard " << i << " of " << shards << ", seed " << of.seed << ", count " << of.count;
    }
  }
}

TYPED_TEST(ShardCut, ShardsSelectAsTheWholeOnRandomShapes) {
  on_random_shapes({12, 28, 60, 1}, expect_shards_select_as_the_whole<TypeParam>);
}

// Some blocks' words, and few finalists among many keys.
TYPED_TEST(ShardCut, ShardsOfManyWordsSelectAsTheWhole) {
  const Stream stream;
  const WholeShape shape{sized(200, 64), 3, 4003};
  std::mt19937 random(3);
  std::vector<TypeParam> keys(static_cast<std::size_t>(shape.rows * shape.columns()));
  for (std::size_t i = 0; i < keys.size(); ++i)
    assign(keys[i], i % 50 == 0 ? std::normal_distribution<double>()(random) : -8.0);
  WholeMatrix<TypeParam> whole(shape, KeySource::affine, 3, std::move(keys));
  whole.arguments().count = sized(20'000, 6'400);
  const std::vector<std::uint8_t> expected = whole.selected();
  const std::vector<ShardPart> parts = parts_of(shape, SpreadBy::features, 4);
  std::vector<CutOnDevice<TypeParam>> on_device;
  for (const ShardPart& of : parts) on_device.emplace_back(whole.part(of), shape.layers);
  EXPECT_FALSE(select_together(on_device, stream));
  learn(on_device, whole.least(), stream);
  for (int turn = 0; turn < 4; ++turn) {
    const bool decided = select_together(on_device, stream);
    EXPECT_TRUE(decided || turn < 3);  // by then the bins are narrow enough
    for (std::size_t i = 0; decided && i < parts.size(); ++i)
      ASSERT_EQ(on_device[i].shard.selected(), part_of(expected, shape, parts[i])) << "shard " << i;
  }
}

// The mask of undecided shards is as batch_topk left it.
TYPED_TEST(ShardCut, UndecidedMasksStay) {
  const Stream stream;
  const WholeShape shape{64, 1, 96};
  WholeMatrix<TypeParam> whole(shape, KeySource::raw, 1,
                               std::vector<TypeParam>(static_cast<std::size_t>(64 * 96)));
  whole.arguments().count = 100;
  const std::vector<ShardPart> parts = parts_of(shape, SpreadBy::features, 12);
  std::vector<CutOnDevice<TypeParam>> on_device;
  for (const ShardPart& of : parts) on_device.emplace_back(whole.part(of), 1);
  learn(on_device, whole.least(), stream);
  EXPECT_FALSE(select_together(on_device, stream));
  for (const CutOnDevice<TypeParam>& shard : on_device) {
    const std::vector<std::uint8_t> bytes = shard.shard.selected();
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::uint8_t{1}), 100);
  }
}

}  // namespace
}  // namespace stepscope::kernels
