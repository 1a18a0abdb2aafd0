// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

// By hand: m = n = 4, U = 16, mean 8, variance 16 * 9 / 12 = 12.
TEST(MannWhitney, AllAboveIsTheMost) {
  EXPECT_NEAR(mann_whitney_z({5, 6, 7, 8}, {1, 2, 3, 4}), 2.309401076758503, 1e-12);
  EXPECT_NEAR(mann_whitney_z({1, 2, 3, 4}, {5, 6, 7, 8}), -2.309401076758503, 1e-12);
}

// By hand: ranks of a are 2, 2, 4.5 (sum 8.5), U = 2.5, mean 4.5, ties 24 + 6,
// variance 9 / 12 * (7 - 30 / 30) = 4.5.
TEST(MannWhitney, TiesShareTheirRankAndMakeTheVarianceSmaller) {
  EXPECT_NEAR(mann_whitney_z({1, 1, 2}, {1, 2, 3}), -0.942809041582063, 1e-12);
}

TEST(MannWhitney, NothingToTellApartIsNoDifference) {
  EXPECT_EQ(mann_whitney_z({7, 7, 7}, {7, 7}), 0);
  EXPECT_EQ(mann_whitney_z({}, {1, 2}), 0);
  EXPECT_EQ(mann_whitney_z({1}, {}), 0);
  EXPECT_EQ(mann_whitney_z({1, 4}, {2, 3}), 0);
}

}  // namespace
}  // namespace stepscope
