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

  Taken(std::uint32_t whole, bool part, std::uint32_t blocks, std::uint32_t warps)
      : times(whole + (part ? 1 : 0)) {
    for (std::uint32_t block = 0; block < blocks; ++block) {
      std::uint32_t own = 0;
      for (std::uint32_t warp = 0; warp < warps; ++warp) {
        const StripOrder order(whole, block, blocks, warp, warps);
        for (std::uint32_t strip = order.first; strip < times.size(); strip = order.behind(strip)) {
          ++times[strip];
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
        for (const std::uint32_t more : {0U, 1U, warps, blocks, blocks * warps - 1})
          for (const bool part : {false, true}) {
            const Taken taken(rounds * blocks * warps + more, part, blocks, warps);
            EXPECT_TRUE(taken.each_once()) << blocks << " blocks of " << warps << " warps, "
                                           << rounds << " rounds and " << more;
          }
}

TEST(StripOrder, GivesBlocksTheSameWorkInTheLastRoundToo) {
  const Taken taken(7 * 264 * 16 + 1000, true, 264, 16);
  EXPECT_LE(taken.most - taken.least, 1U);
}

TEST(StripOrder, ABlocksWarpsReadSideBySide) {
  const StripOrder order(100 * 264 * 16, 5, 264, 3, 16);
  EXPECT_EQ(order.first, 5U * 16 + 3);
  EXPECT_EQ(order.behind(5 * 16 + 3), 264U * 16 + 5 * 16 + 3);
}

}  // namespace
}  // namespace stepscope::kernels
