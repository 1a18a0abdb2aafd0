// SPDX-License-Identifier: Apache-2.0
// Curves of random samples against sums that are made sample by sample.
#include "viewer/lod/curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope::viewer {
namespace {

TEST(Curve, ColumnsHoldEachSampleOnceWithItsPeaks) {
  std::mt19937 random(5);
  for (const std::size_t count : {1U, 31U, 33U, 1'100U, 40'000U}) {
    Curve curve;
    std::vector<std::pair<std::int64_t, double>> samples;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < count; ++i) {
      at += static_cast<std::int64_t>(random() % 1'000);
      samples.emplace_back(at, static_cast<double>(random() % 10'000) - 5'000);
      curve.add(samples.back().first, samples.back().second);
    }
    curve.finish();
    std::vector<CurveColumn> columns;
    for (int query = 0; query < 40; ++query) {
      const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(at + 1));
      const Interval span = {begin, begin + 1 + static_cast<std::int64_t>(random() % 4'000'000)};
      curve.columns(span, 1 + static_cast<int>(random() % 500), columns);
      std::uint64_t held = 0;
      double least = 1e9;
      double most = -1e9;
      double sum = 0;
      for (const CurveColumn& column : columns) {
        if (column.time < span.begin) continue;  // what held before
        held += column.count;
        least = std::min(least, column.least);
        most = std::max(most, column.most);
        sum += column.mean * column.count;
      }
      std::uint64_t expected = 0;
      double low = 1e9;
      double high = -1e9;
      double total = 0;
      for (const auto& [time, value] : samples) {
        if (time < span.begin || time >= span.end) continue;
        ++expected;
        low = std::min(low, value);
        high = std::max(high, value);
        total += value;
      }
      ASSERT_EQ(held, expected);
      if (expected == 0) continue;
      EXPECT_EQ(least, low);
      EXPECT_EQ(most, high);
      EXPECT_NEAR(sum, total, 1e-3);
    }
  }
}

TEST(Curve, AValueHoldsUntilTheNext) {
  Curve curve;
  curve.add(10, 1);
  curve.add(20, 5);
  curve.finish();
  double value = 0;
  EXPECT_FALSE(curve.value_at(9, value));
  ASSERT_TRUE(curve.value_at(19, value));
  EXPECT_EQ(value, 1);
  ASSERT_TRUE(curve.value_at(1'000, value));
  EXPECT_EQ(value, 5);
  EXPECT_EQ(curve.least(), 1);
  EXPECT_EQ(curve.most(), 5);
}

}  // namespace
}  // namespace stepscope::viewer
