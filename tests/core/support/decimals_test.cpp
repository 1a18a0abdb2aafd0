// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(Decimals, MedianIsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median_of({}), 0);
}

TEST(Decimals, MeanIsTheSumOverTheCount) {
  EXPECT_EQ(mean_of({1, 2, 6}), 3);
  EXPECT_EQ(mean_of({}), 0);
}

}  // namespace
}  // namespace stepscope
