// SPDX-License-Identifier: Apache-2.0
// The kernels against the whole matrix's selection: shards lie side by side on one GPU, and what
// they would exchange is summed on the host.
#include <gtest/gtest.h>

#include "kernels/shard_topk/shard_topk.hpp"
#include "tests/kernels/shard_topk/shard_on_device.hpp"

namespace stepscope::kernels {
namespace {

template <class T>
struct CountedShard {
  CountedShard(const typename WholeMatrix<T>::Part& part, std::int64_t groups)
      : shard(part),
        state(1),
        counts(kShardBins),
        shares(static_cast<std::size_t>(1 + groups)),
        own_count(1) {
    arguments.matrix = shard.matrix;
    arguments.groups = groups;
    arguments.state = state.data();
    arguments.counts = counts.data();
    arguments.shares = shares.data();
    arguments.own_count = own_count.data();
  }

  // With the count that lies in device memory; a byte an entry.
  std::vector<std::uint8_t> selected(const Stream& stream) {
    shard.matrix.device_count = own_count.data();
    shard.select(stream);
    return shard.selected();
  }

  ShardOnDevice<T> shard;
  DeviceBuffer<ShardTopkState> state;
  DeviceBuffer<std::int64_t> counts, shares, own_count;
  ShardTopkArguments arguments;
};

template <class T>
void exchange_and_choose(std::vector<CountedShard<T>>& shards, const Stream& stream) {
  for (int round = 0; round < kShardRounds; ++round) {
    std::vector<std::int64_t> sums(kShardBins);
    for (CountedShard<T>& shard : shards) {
      EXPECT_EQ(shard_topk_count(shard.arguments, round, stream.get()).message(), "");
      wait(stream);
      const std::vector<std::int64_t> own = shard.counts.to_host();
      for (std::size_t bin = 0; bin < sums.size(); ++bin) sums[bin] += own[bin];
    }
    for (CountedShard<T>& shard : shards) {
      shard.counts.put(sums);
      EXPECT_EQ(shard_topk_choose(shard.arguments, round, stream.get()).message(), "");
    }
  }
}

template <class T>
void find_own_counts(std::vector<CountedShard<T>>& shards, const Stream& stream) {
  std::vector<std::int64_t> all;
  for (CountedShard<T>& shard : shards) {
    EXPECT_EQ(shard_topk_shares(shard.arguments, stream.get()).message(), "");
    wait(stream);
    for (const std::int64_t share : shard.shares.to_host()) all.push_back(share);
  }
  const DeviceBuffer<std::int64_t> on_device(all);
  for (std::size_t i = 0; i < shards.size(); ++i)
    EXPECT_EQ(shard_topk_own_count(shards[i].arguments, on_device.data(),
                                   static_cast<std::int64_t>(i), std::ssize(shards), stream.get())
                  .message(),
              "");
  wait(stream);
}

template <class T>
class ShardTopk : public ShardsTest<T> {};
TYPED_TEST_SUITE(ShardTopk, ShardKeyTypes);

template <class T>
void expect_shards_select_as_the_whole(const ShardedCase& of) {
  const Stream stream;
  WholeMatrix<T> whole(of.shape, of.source, of.seed);
  whole.arguments().count = of.count;
  whole.arguments().positives_only = of.seed % 3 == 0;
  const std::vector<std::uint8_t> expected = whole.selected();
  for (const std::int64_t shards : of.shards) {
    const std::vector<ShardPart> parts = parts_of(of.shape, of.by, shards);
    std::vector<CountedShard<T>> on_device;
    for (const ShardPart& part : parts)
      on_device.emplace_back(whole.part(part), groups_of(of.shape, of.by));
    exchange_and_choose(on_device, stream);
    find_own_counts(on_device, stream);
    for (std::size_t i = 0; i < parts.size(); ++i)
      ASSERT_EQ(on_device[i].selected(stream), part_of(expected, of.shape, parts[i]))
          << "shard " << i << " of " << shards << ", seed " << of.seed << ", count " << of.count;
  }
}

TYPED_TEST(ShardTopk, ShardsSelectAsTheWholeOnRandomShapes) {
  on_random_shapes({12, 48, 308, 0}, expect_shards_select_as_the_whole<TypeParam>);
}

// Rows longer than a strip, and more blocks' work than blocks; also of the one shard in two that
// small shapes have.
TYPED_TEST(ShardTopk, ShardsOfManyStripsSelectAsTheWhole) {
  ShardedCase of;
  of.shape = sized<WholeShape>({200, 2, 9001}, {270, 2, 4105});
  of.source = KeySource::affine;
  of.count = sized(14000, 8600);
  of.seed = 7;
  of.shards = sized<std::vector<std::int64_t>>({1, 2, 4, 8}, {2});
  expect_shards_select_as_the_whole<TypeParam>(of);
}

}  // namespace
}  // namespace stepscope::kernels
