// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace stepscope {
namespace {

TEST(Statistics, PercentileInterpolatesBetweenRanks) {
  EXPECT_EQ(percentile({40, 10, 30, 20}, 0.5), 25);
  EXPECT_EQ(percentile({10, 20, 30, 40, 50}, 0.9), 46);
  EXPECT_EQ(percentile({7}, 0.9), 7);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

TEST(Statistics, DeviationIgnoresOneOutlier) {
  EXPECT_EQ(median_absolute_deviation({10, 11, 12, 13, 1000}), 1);
}

TEST(Statistics, LargestRemainderSumsExactly) {
  EXPECT_EQ(largest_remainder(10, {1, 1, 1}), (std::vector<std::int64_t>{4, 3, 3}));
  std::mt19937_64 random(2);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> weights(1 + random() % 9);
    for (double& w : weights) w = static_cast<double>(random() % 1000) / 7;
    const auto total = static_cast<std::int64_t>(random() % 1'000'000'000'000) - 500'000'000'000;
    const auto parts = largest_remainder(total, weights);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), total);
  }
}

}  // namespace
}  // namespace stepscope
