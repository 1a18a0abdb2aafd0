// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/checks.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

constexpr std::int64_t kPast = std::int64_t{1} << 31;

TEST(Checks, NullIsAlignedButPointsToNothing) {
  alignas(16) const char bytes[32] = {};
  EXPECT_TRUE(aligned(nullptr, 16));
  EXPECT_FALSE(aligned_to(nullptr, 16));
  EXPECT_TRUE(aligned(bytes, 16) && aligned_to(bytes, 16));
  EXPECT_FALSE(aligned(bytes + 8, 16) || aligned_to(bytes + 8, 16));
  EXPECT_TRUE(aligned_to(bytes + 8, 8));
}

TEST(Checks, SidesAreNamed) {
  EXPECT_TRUE(validate_sides(0, kPast - 1).ok() && validate_sides(kPast - 1, 0).ok());
  EXPECT_STREQ(validate_sides(-1, 1).where(), "rows");
  EXPECT_STREQ(validate_sides(kPast, 1).where(), "rows");
  EXPECT_STREQ(validate_sides(1, -1).where(), "columns");
  EXPECT_STREQ(validate_sides(1, kPast).where(), "columns");
}

TEST(Checks, AMatrixHasAtMost2To33Entries) {
  EXPECT_TRUE(validate_matrix(8, kPast / 2).ok());  // 2^33
  EXPECT_TRUE(validate_matrix(kPast - 1, 4).ok());
  EXPECT_TRUE(validate_matrix(kPast - 1, 0).ok());
  EXPECT_EQ(validate_matrix(9, kPast / 2).message(), "rows: times columns must be at most 2^33");
  EXPECT_STREQ(validate_matrix(kPast - 1, kPast - 1).where(), "rows");  // 2^62, without overflow
  EXPECT_STREQ(validate_matrix(-1, 4).where(), "rows");
}

}  // namespace
}  // namespace stepscope::kernels
