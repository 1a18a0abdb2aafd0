// SPDX-License-Identifier: Apache-2.0
#include "core/support/interval.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stepscope {
namespace {

TEST(Interval, UniteMergesOverlapsAndTouchesAndDropsEmpty) {
  EXPECT_EQ(unite({{5, 7}, {1, 3}, {3, 4}, {6, 9}, {20, 20}}), (IntervalSet{{1, 4}, {5, 9}}));
}

TEST(Interval, ComplementAndClipStayInsideTheWindow) {
  const IntervalSet busy = {{10, 20}, {30, 40}};
  EXPECT_EQ(complement(busy, {15, 50}), (IntervalSet{{20, 30}, {40, 50}}));
  EXPECT_EQ(clip(busy, {15, 35}), (IntervalSet{{15, 20}, {30, 35}}));
  EXPECT_EQ(complement({}, {0, 5}), (IntervalSet{{0, 5}}));
  EXPECT_TRUE(complement(busy, {12, 18}).empty());
}

TEST(Interval, AnEndIsInNoInterval) {
  const IntervalSet busy = {{0, 5}, {10, 20}};
  for (const std::int64_t time : {0, 4, 10, 19}) EXPECT_TRUE(contains(busy, time)) << time;
  for (const std::int64_t time : {-1, 5, 9, 20}) EXPECT_FALSE(contains(busy, time)) << time;
  EXPECT_FALSE(contains({}, 0));
}

TEST(Interval, BusyAndIdleSumToTheWindowForAnyInput) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<Interval> some(random() % 20);
    for (Interval& i : some) {
      i.begin = static_cast<std::int64_t>(random() % 100);
      i.end = i.begin + static_cast<std::int64_t>(random() % 15);
    }
    const Interval window{static_cast<std::int64_t>(random() % 50), 80};
    const IntervalSet busy = unite(some);
    EXPECT_EQ(total_length(clip(busy, window)) + total_length(complement(busy, window)),
              window.length());
  }
}

}  // namespace
}  // namespace stepscope
