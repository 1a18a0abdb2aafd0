// SPDX-License-Identifier: Apache-2.0
// The distributions against counting every arrangement; the bounds against their definition.
#include "core/gate/rank_bound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stepscope {
namespace {

// Counts over all orders of m + n values and all choices of the candidate's.
std::vector<double> counted_mann_whitney(std::size_t m, std::size_t n) {
  std::vector<double> ways(m * n + 1, 0);
  double all = 0;
  std::vector<int> of_candidate(m + n, 0);
  std::fill(of_candidate.end() - static_cast<std::ptrdiff_t>(n), of_candidate.end(), 1);
  do {
    std::size_t above = 0, baseline = 0;
    for (const int candidate : of_candidate)
      (candidate != 0 ? above : baseline) += candidate != 0 ? baseline : 1;
    ways[above] += 1;
    all += 1;
  } while (std::next_permutation(of_candidate.begin(), of_candidate.end()));
  std::partial_sum(ways.begin(), ways.end(), ways.begin());
  for (double& way : ways) way /= all;
  return ways;
}

std::vector<double> counted_signed_rank(std::size_t n) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0);
  for (std::size_t signs = 0; signs < (std::size_t{1} << n); ++signs) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += (signs >> i & 1) != 0 ? i + 1 : 0;
    ways[sum] += 1;
  }
  std::partial_sum(ways.begin(), ways.end(), ways.begin());
  for (double& way : ways) way /= std::pow(2.0, static_cast<double>(n));
  return ways;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
}

TEST(RankBound, DistributionsAreThoseOfEveryArrangement) {
  for (std::size_t m = 1; m <= 5; ++m)
    for (std::size_t n = 1; n <= 6; ++n)
      expect_near(mann_whitney_distribution(m, n), counted_mann_whitney(m, n));
  for (std::size_t n = 1; n <= 9; ++n)
    expect_near(signed_rank_distribution(n), counted_signed_rank(n));
}

TEST(RankBound, TheNormalDistributionContinuesTheExactOne) {
  const std::vector<double> exact = mann_whitney_distribution(60, 60);
  const std::vector<double> normal = mann_whitney_distribution(61, 60);
  for (const double share : {0.4, 0.45, 0.5, 0.6}) {
    const auto at = [&](const std::vector<double>& d) {
      return d[static_cast<std::size_t>(share * static_cast<double>(d.size()))];
    };
    EXPECT_NEAR(at(exact), at(normal), 0.01);
  }
  EXPECT_NEAR(signed_rank_distribution(61)[61 * 62 / 4], 0.5, 0.01);
}

TEST(RankBound, ThreeRunsASideHaveOneBoundAtOneInTwenty) {
  const RatioSample sample{{10, 11, 12}, {13, 14, 15}};
  EXPECT_NEAR(*lowest_ratio(sample, 0.05), 13.0 / 12, 1e-12);
  EXPECT_NEAR(*highest_ratio(sample, 0.05), 15.0 / 10, 1e-12);
  EXPECT_FALSE(lowest_ratio(sample, 0.049));
  EXPECT_FALSE(lowest_ratio({{10}, {20}}, 0.05));
  EXPECT_FALSE(lowest_ratio({{}, {}}, 0.05));
  EXPECT_NEAR(chance_of_ratio(sample, 1.0), 0.05, 1e-12);
}

TEST(RankBound, PairsNeedFiveAtOneInTwenty) {
  const RatioSample four{{1, 1, 1, 1}, {2, 2, 2, 2}, true};
  EXPECT_FALSE(lowest_ratio(four, 0.05));
  const RatioSample five{{1, 2, 3, 4, 5}, {1.1, 2.4, 3.9, 4.4, 6}, true};
  EXPECT_NEAR(*lowest_ratio(five, 0.05), 1.1, 1e-12);
  EXPECT_NEAR(chance_of_ratio(five, 1.0), 1.0 / 32, 1e-12);
}

TEST(RankBound, AnAlarmByChanceIsAnAlarmByBound) {
  for (int seed = 1; seed <= 200; ++seed) {
    RatioSample sample;
    for (int i = 0; i < 5; ++i) {
      sample.baseline.push_back(100 + (seed * 37 + i * 101) % 17);
      sample.candidate.push_back(104 + (seed * 53 + i * 89) % 19);
    }
    for (const bool paired : {false, true}) {
      sample.paired = paired;
      for (const double level : {0.05, 0.025, 0.01}) {
        const auto low = lowest_ratio(sample, level);
        EXPECT_EQ(chance_of_ratio(sample, 1.02) <= level * (1 + 1e-9), low && *low > 1.02);
      }
    }
  }
}

TEST(RankBound, SwappingTheSidesInvertsTheBounds) {
  const RatioSample sample{{10, 11, 12, 10.5}, {13, 9, 14, 12.5}};
  const RatioSample swapped{sample.candidate, sample.baseline};
  EXPECT_NEAR(*lowest_ratio(sample, 0.05) * *highest_ratio(swapped, 0.05), 1, 1e-12);
  EXPECT_NEAR(middle_ratio(sample) * middle_ratio(swapped), 1, 1e-12);
}

}  // namespace
}  // namespace stepscope
