// SPDX-License-Identifier: Apache-2.0
// The reference on a mask whose lists are plain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/bitmask/bitmask_reference.hpp"

namespace stepscope::kernels {
namespace {

using testing::ElementsAre;

TEST(BitmaskReference, ListsByRowAndByColumn) {
  const std::vector<std::uint32_t> words{0b101U, 0b100U};
  const Bitmask mask{words.data(), 2, 3};
  EXPECT_THAT(bitmask_bytes_reference(mask), ElementsAre(1, 0, 1, 0, 0, 1));
  const ExpectedList rows = bitmask_list_reference(mask, BitmaskLines::rows);
  EXPECT_THAT(rows.offsets, ElementsAre(0, 2, 3));
  EXPECT_THAT(rows.indices, ElementsAre(0, 2, 2));
  EXPECT_THAT(rows.entries, ElementsAre(0, 2, 5));
  const ExpectedList columns = bitmask_list_reference(mask, BitmaskLines::columns);
  EXPECT_THAT(columns.offsets, ElementsAre(0, 1, 1, 3));
  EXPECT_THAT(columns.indices, ElementsAre(0, 0, 1));
  EXPECT_THAT(columns.entries, ElementsAre(0, 2, 5));
}

TEST(BitmaskReference, RowsBeginWithAWordOfTheirOwn) {
  const std::vector<std::uint32_t> words{0, 1, 0x80000000U, 0};
  const Bitmask mask{words.data(), 2, 33};
  EXPECT_TRUE(is_set(mask, 0, 32));
  EXPECT_TRUE(is_set(mask, 1, 31));
  EXPECT_FALSE(is_set(mask, 1, 32));
}

}  // namespace
}  // namespace stepscope::kernels
