// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/strip_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace stepscope::kernels {
namespace {

// How often each strip is taken, by all warps; and the most and least strips of a block.
struct Taken {
  std::vector<int> times;
  std::uint32_t most = 0, least = 0xffffffffU;

  Taken(std::uint32_t strips, std::uint32_t blocks, std::uint32_t warps) : times(strips) {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::uint32_t own = 0;
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const StripOrder order(strips, block, blocks, warp, warps);
        for (std::int32_t strip = order.first; strip >= 0; strip = order.behind(strip)) {
          ++times.at(static_cast<std::size_t>(strip));
          ++own;
        }
      }
      most = std::max(most, own);
      least = std::min(least, own);
    }
  }
  bool each_once() const {
    return std::all_of(times.begin(), times.end(), [](int taken) { return taken == 1; });
  }
};

TEST(StripOrder, TakesEachStripOnce) {
  for (const std::uint32_t blocks : {1U, 3U, 132U, 264U})
    for (const std::uint32_t warps : {1U, 4U, 16U})
      for (const std::uint32_t rounds : {0U, 1U, 2U, 5U})
        for (const std::uint32_t more : {0U, 1U, 2U, warps, blocks, blocks * warps - 1}) {
          const Taken taken(rounds * blocks * warps + more, blocks, warps);
          EXPECT_TRUE(taken.each_once())
              << blocks << " blocks of " << warps << " warps, " << rounds << " rounds and " << more;
        }
}

TEST(StripOrder, GivesBlocksTheSameWorkInTheLastRoundToo) {
  const Taken taken(7 * 264 * 16 + 1001, 264, 16);
  EXPECT_LE(taken.most - taken.least, 1U);
}

TEST(StripOrder, ABlocksWarpsReadSideBySideFromTheLastDown) {
  constexpr int kStrips = 100 * 264 * 16 + 7;
  const StripOrder order(kStrips, 5, 264, 3, 16);
  EXPECT_EQ(order.first, kStrips - 1 - (5 * 16 + 3));
  EXPECT_EQ(order.behind(order.first), order.first - 264 * 16);
}

}  // namespace
}  // namespace stepscope::kernels
