// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/activation_files/block_order.hpp"

#include <ATen/ops/randperm.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "reference_trainers/common/random.hpp"

namespace stepscope::trainers {
namespace {

const std::vector<std::int64_t> kBlocks{5, 3, 9, 4};

BlockOrder order(std::uint64_t seed = 0, std::vector<std::int64_t> blocks = kBlocks) {
  return {std::move(blocks), seeded_generator(seed, RandomStream::batches)};
}

using Row = std::pair<std::size_t, std::int64_t>;

// The rows of so many epochs, cut into batches; what is left over is dropped.
std::vector<std::vector<Row>> batches(BlockOrder from, std::size_t size, int epochs) {
  std::vector<std::vector<Row>> all(1);
  while (epochs > 0) {
    const BlockDraw draw = from.next();
    for (std::int64_t i = draw.used; i < draw.rows.size(0); ++i) {
      all.back().emplace_back(draw.block, draw.rows[i].item<std::int64_t>());
      if (all.back().size() == size) all.emplace_back();
    }
    if (!draw.ends_epoch) continue;
    --epochs;
    all.back().clear();
  }
  all.pop_back();
  return all;
}

TEST(BlockOrder, AnEpochHasEachRowOnce) {
  const auto rows = batches(order(), 1, 3);
  ASSERT_EQ(rows.size(), 3U * 21);
  for (std::size_t epoch = 0; epoch < 3; ++epoch) {
    std::set<Row> seen;
    for (std::size_t i = 0; i < 21; ++i) seen.insert(rows[epoch * 21 + i].front());
    EXPECT_EQ(seen.size(), 21U);
  }
}

TEST(BlockOrder, TheSeedFixesIt) {
  EXPECT_EQ(batches(order(), 4, 2), batches(order(), 4, 2));
  EXPECT_NE(batches(order(), 4, 2), batches(order(1), 4, 2));
}

TEST(BlockOrder, EachEpochShufflesBlocksAndRows) {
  const auto rows = batches(order(), 21, 2);
  EXPECT_NE(rows[0], rows[1]);
}

TEST(BlockOrder, OneBlockIsDrawnAsRowsInMemory) {
  at::Generator random = seeded_generator(7, RandomStream::batches);
  BlockOrder one = order(7, {50});
  for (int epoch = 0; epoch < 3; ++epoch)
    EXPECT_TRUE(one.next().rows.equal(at::randperm(50, random))) << epoch;
}

// Over several epochs, with every place in a block and batches over several blocks.
TEST(BlockOrder, SkippedBatchesAreThoseThatWouldHaveBeenTaken) {
  for (const std::int64_t batch : {1, 2, 4, 7, 10, 21}) {
    const auto whole = batches(order(), static_cast<std::size_t>(batch), 4);
    for (std::int64_t skipped = 0; skipped <= 3 * (21 / batch); ++skipped) {
      BlockOrder from = order();
      from.skip(skipped, batch);
      const auto rest = batches(from, static_cast<std::size_t>(batch), 1);
      ASSERT_FALSE(rest.empty());
      EXPECT_EQ(rest.front(), whole[static_cast<std::size_t>(skipped)])
          << "batch " << batch << ", skipped " << skipped;
    }
  }
}

}  // namespace
}  // namespace stepscope::trainers
