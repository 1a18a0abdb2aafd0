// SPDX-License-Identifier: Apache-2.0
// Shards in host memory set the bits that the whole matrix's selection sets, however they are cut.
#include "kernels/shard_topk/shard_keys.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/shard_topk/whole_and_shards.hpp"

namespace stepscope::kernels {
namespace {

// Each shard's bytes, after the shards' exchanges.
std::vector<std::vector<std::uint8_t>> selected_by(const std::vector<ShardKeys>& shards,
                                                   const std::vector<std::int64_t>& entries,
                                                   std::int64_t count, std::int64_t groups) {
  ShardTopkState state;
  for (int round = 0; round < kShardRounds; ++round) {
    std::vector<std::int64_t> sums(kShardBins);
    for (const ShardKeys& shard : shards) shard.count(state, round, sums.data());
    shard_choose(state, round, sums.data(), count);
  }
  std::vector<std::int64_t> all_shares;
  for (const ShardKeys& shard : shards)
    for (const std::int64_t share : shard.shares(state)) all_shares.push_back(share);
  std::vector<std::vector<std::uint8_t>> masks;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    masks.emplace_back(static_cast<std::size_t>(entries[i]));
    const std::int64_t own = shard_own_count(state, all_shares.data(), groups,
                                             static_cast<std::int64_t>(i), std::ssize(shards));
    shards[i].select(state, own, masks.back().data());
  }
  return masks;
}

template <class T>
void expect_keys_select_as_the_whole(const ShardedCase& of) {
  WholeMatrix<T> whole(of.shape, of.source, of.seed);
  whole.arguments().count = of.count;
  whole.arguments().positives_only = of.seed % 3 == 0;
  const std::vector<std::uint8_t> expected = whole.selected();
  for (const std::int64_t shards : of.shards) {
    const std::vector<ShardPart> parts = parts_of(of.shape, of.by, shards);
    std::vector<ShardKeys> keys;
    std::vector<std::int64_t> entries;
    for (const ShardPart& place : parts) {
      const auto part = whole.part(place);
      const std::int64_t groups =
          of.by == SpreadBy::rows ? part.arguments.columns : of.shape.layers;
      keys.emplace_back(part.arguments, groups);
      entries.push_back(part.arguments.rows * part.arguments.columns);
    }
    const auto masks = selected_by(keys, entries, of.count, groups_of(of.shape, of.by));
    for (std::size_t i = 0; i < parts.size(); ++i)
      ASSERT_EQ(masks[i], part_of(expected, of.shape, parts[i]))
          << "shard " << i << " of " << shards << ", seed " << of.seed << ", count " << of.count;
  }
}

TEST(ShardKeys, SelectAsTheWholeOnRandomShapes) {
  constexpr RandomShapes kShapes{40, 28, 38, 0};
  on_random_shapes(kShapes, expect_keys_select_as_the_whole<Bfloat16>);
  on_random_shapes(kShapes, expect_keys_select_as_the_whole<Float16>);
  on_random_shapes(kShapes, expect_keys_select_as_the_whole<float>);
}

// Layers are what makes the order of equals go back and forth between shards.
TEST(ShardKeys, EqualKeysAreTakenLayerByLayer) {
  const std::vector<float> keys(16, 1.0F);
  BatchTopkArguments part;
  part.key_type = KeyType::float32;
  part.rows = 2;
  part.columns = 4;
  part.keys = keys.data();
  const std::vector<ShardKeys> shards(2, ShardKeys(part, 2));
  // All 8 of layer 0 are selected, then the first feature and a half of layer 1: shard 0's.
  const auto masks = selected_by(shards, {8, 8}, 11, 2);
  EXPECT_EQ(masks[0], (std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(masks[1], (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 0, 0}));
}

}  // namespace
}  // namespace stepscope::kernels
