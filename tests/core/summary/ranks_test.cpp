// SPDX-License-Identifier: Apache-2.0
// Two ranks of which the second enters each collective late, and lengths of kernels.
#include "core/summary/ranks.hpp"

#include <gtest/gtest.h>

#include "core/summary/rows/operation_rows.hpp"
#include "tests/core/summary/two_ranks.hpp"

namespace stepscope {
namespace {

TEST(CompareRanks, SaysWhoWaitsForWhomAndForHowLong) {
  const Ranks ranks = compare_ranks(two_ranks());
  ASSERT_EQ(ranks.rows.size(), 2U);
  EXPECT_TRUE(ranks.collectives_known);
  EXPECT_EQ(ranks.rows[0].waits_ns, 6 * 50'000);
  EXPECT_EQ(ranks.rows[0].waited_for_ns, 0);
  EXPECT_EQ(ranks.rows[0].collectives_last, 0U);
  EXPECT_EQ(ranks.rows[1].waits_ns, 0);
  EXPECT_EQ(ranks.rows[1].waited_for_ns, 6 * 50'000);
  EXPECT_EQ(ranks.rows[1].collectives_last, 6U);
  for (const RankRow& row : ranks.rows) {
    EXPECT_GT(row.steps_counted, 0U);
    EXPECT_NEAR(row.ns_per_step(), static_cast<double>(kRankStep), 2'000);
  }
}

TEST(CompareRanks, AnotherHostsClockIsNoLateness) {
  for (const std::int64_t ahead : {1'500'000, -30'000}) {
    const Ranks ranks = compare_ranks(two_ranks(ahead));
    EXPECT_EQ(ranks.rows[0].waits_ns, 6 * 50'000) << ahead;
    EXPECT_EQ(ranks.rows[1].collectives_last, 6U) << ahead;
  }
}

TEST(CompareRanks, ARunOfOneHasNone) {
  TraceMaker make;
  make.thread(1);
  EXPECT_TRUE(compare_ranks(make.build()).rows.empty());
}

TEST(OpLengths, ASpreadAndAHistogramHoldEachLengthOnce) {
  const std::vector<std::int64_t> a = {100, 200, 300, 400, 5'000};
  const std::vector<std::int64_t> b = {0, 100};
  const LengthSpread spread = spread_of(a);
  EXPECT_EQ(spread.count, 5U);
  EXPECT_EQ(spread.sum_ns, 6'000);
  EXPECT_EQ(spread.min_ns, 100);
  EXPECT_EQ(spread.p50_ns, 300);
  EXPECT_EQ(spread.max_ns, 5'000);
  for (const std::size_t bins : {std::size_t{1}, std::size_t{7}, std::size_t{48}}) {
    const LengthHistogram histogram = histogram_of({a, b}, bins);
    ASSERT_EQ(histogram.edges.size(), bins + 1);
    std::uint64_t in_a = 0;
    std::uint64_t in_b = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      EXPECT_LE(histogram.edges[bin], histogram.edges[bin + 1]);
      in_a += histogram.counts[0][bin];
      in_b += histogram.counts[1][bin];
    }
    EXPECT_EQ(in_a, a.size());
    EXPECT_EQ(in_b, b.size());
  }
  EXPECT_TRUE(histogram_of({{}, {}}, 8).edges.empty());
}

}  // namespace
}  // namespace stepscope
