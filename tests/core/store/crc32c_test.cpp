// SPDX-License-Identifier: Apache-2.0
#include "core/store/format.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string_view>
#include <vector>

namespace stepscope::store {
namespace {

// Vectors of RFC 3720, appendix B.4.
TEST(Crc32c, KnownVectors) {
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283U);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0).data(), 32), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::vector<std::uint8_t>(32, 0xff).data(), 32), 0x62a8ab43U);
  EXPECT_EQ(crc32c("", 0), 0U);
}

TEST(Crc32c, TableAndInstructionAgreeAtEveryLength) {
  std::vector<std::uint8_t> bytes(100);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{7});
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    EXPECT_EQ(crc32c(bytes.data(), length), crc32c_by_table(bytes.data(), length)) << length;
  }
}

}  // namespace
}  // namespace stepscope::store
