// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/support/small_shapes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace stepscope::kernels {
namespace {

using Numbers = std::vector<int>;

TEST(SmallShapes, TurnsGiveAllItemsAtFullSize) {
  Turns turns(1, false);
  EXPECT_EQ(turns.of<int>({5, 6, 7}, 2), (Numbers{5, 6, 7}));
  EXPECT_EQ(turns.one_of<int>({5, 6, 7}), (Numbers{5, 6, 7}));
}

TEST(SmallShapes, TurnsDealItemsOutSoThatEachIsGiven) {
  Turns hands(1, true);
  EXPECT_EQ(hands.of<int>({5, 6, 7, 8, 9}, 2), (Numbers{6, 8}));
  EXPECT_EQ(hands.of<int>({5, 6, 7, 8, 9}, 2), (Numbers{5, 7, 9}));
  Turns single(4, true);
  for (const int expected : {6, 7, 5, 6})
    EXPECT_EQ(single.one_of<int>({5, 6, 7}), Numbers{expected});
}

class SmallShapesVariable : public testing::Test {
 protected:
  void TearDown() override { (void)unsetenv("STEPSCOPE_SMALL_SHAPES"); }
  static int sized_under(const char* value) {
    (void)setenv("STEPSCOPE_SMALL_SHAPES", value, 1);
    return sized(9, 2);
  }
};

TEST_F(SmallShapesVariable, SizesAreSmallWhereItIsSet) {
  (void)unsetenv("STEPSCOPE_SMALL_SHAPES");
  EXPECT_EQ(sized(9, 2), 9);
  EXPECT_EQ(sized_under(""), 9);
  EXPECT_EQ(sized_under("0"), 9);
  EXPECT_EQ(sized_under("1"), 2);
}

}  // namespace
}  // namespace stepscope::kernels
