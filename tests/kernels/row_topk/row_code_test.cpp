// SPDX-License-Identifier: Apache-2.0
#include "kernels/row_topk/row_code.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

TEST(RowCode, GivesBackWhatItHolds) {
  for (const int place_bits : {0, 1, 16, 17, 31}) {
    const RowCode<std::uint64_t> code{place_bits};
    for (const std::uint32_t key : {1U, 0x8000U, 0xffffffffU})
      for (const std::uint32_t column : {0U, code.last_place() / 2, code.last_place()}) {
        EXPECT_EQ(code.key(code.encode(key, column)), key);
        EXPECT_EQ(code.column(code.encode(key, column)), column);
      }
  }
}

TEST(RowCode, GreaterKeysComeFirstThenLowerColumns) {
  const RowCode<std::uint64_t> code{16};
  EXPECT_GT(code.encode(8, 65535), code.encode(7, 0));
  EXPECT_GT(code.encode(7, 3), code.encode(7, 4));
}

TEST(RowCode, TheLeastOfAKeyIsNotAboveItsLastColumn) {
  const RowCode<std::uint64_t> code{16};
  EXPECT_LE(code.least(7), code.encode(7, 65535));
  EXPECT_GT(code.least(7), code.encode(6, 0));
}

TEST(RowCode, NoEntryIsZero) {
  EXPECT_GT((RowCode<std::uint64_t>{0}.encode(1, 0)), 0U);
  EXPECT_GT((RowCode<std::uint64_t>{16}.encode(1, 65535)), 0U);
}

TEST(RowCode, ShortOnesSayTheSameWhereTheyDo) {
  ASSERT_TRUE(short_codes_do(16, 16));
  EXPECT_FALSE(short_codes_do(16, 17));
  EXPECT_FALSE(short_codes_do(32, 1));
  const RowCode<std::uint32_t> code{16};
  const RowCode<std::uint64_t> wide{16};
  for (const std::uint32_t key : {1U, 0x7f80U, 0x8000U, 0xffffU})
    for (const std::uint32_t column : {0U, 1U, 32768U, 65535U}) {
      EXPECT_EQ(code.encode(key, column), wide.encode(key, column));
      EXPECT_EQ(code.key(code.encode(key, column)), key);
      EXPECT_EQ(code.column(code.encode(key, column)), column);
      EXPECT_EQ(code.least(key), wide.least(key));
    }
}

}  // namespace
}  // namespace stepscope::kernels
