// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TEST(Holm, OneTestKeepsTheWholeLevel) {
  EXPECT_THAT(holm_levels({0.04}, 0.05), ElementsAre(DoubleEq(0.05)));
  EXPECT_TRUE(holm_levels({}, 0.05).empty());
}

TEST(Holm, EachAlarmMakesTheNextEasier) {
  EXPECT_THAT(holm_levels({0.02, 0.001, 0.5}, 0.06),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.02), DoubleEq(0.06)));
}

TEST(Holm, BehindTheFirstThatDoesNotPassNothingGetsEasier) {
  EXPECT_THAT(holm_levels({0.03, 0.001, 0.031}, 0.05),
              ElementsAre(DoubleEq(0.025), DoubleEq(0.05 / 3), DoubleEq(0.025)));
}

}  // namespace
}  // namespace stepscope
