// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/ladder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepscope {
namespace {

TEST(RepeatedMean, OfOneValueHasNoInterval) {
  const RepeatedMean one = repeated_mean({5});
  EXPECT_EQ(one.value, 5);
  EXPECT_FALSE(one.low || one.high);
  EXPECT_EQ(repeated_mean({}).value, 0);
}

// exp(mean +- t s / sqrt(n)) of the logarithms 0, 1, 2: mean 1, s 1, t(2) 4.303.
TEST(RepeatedMean, IsAGeometricMeanWithStudentsInterval) {
  const double e = std::exp(1.0);
  const RepeatedMean three = repeated_mean({1, e, e * e});
  EXPECT_NEAR(three.value, e, 1e-12);
  EXPECT_NEAR(std::log(*three.low), 1 - 4.303 / std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(std::log(*three.high), 1 + 4.303 / std::sqrt(3.0), 1e-9);
}

// A host that drifts moves both of a pair: the ratio is exact although each side is not.
TEST(RepeatedMean, ARatioOfPairsDoesNotSeeWhatMovesBoth) {
  const RepeatedMean ratio = ratio_of({100, 50, 80}, {150, 75, 120});
  EXPECT_NEAR(ratio.value, 1.5, 1e-12);
  EXPECT_NEAR(*ratio.low, 1.5, 1e-9);
  EXPECT_NEAR(*ratio.high, 1.5, 1e-9);
}

}  // namespace
}  // namespace stepscope
