// SPDX-License-Identifier: Apache-2.0
#include "core/support/words.hpp"

#include <string>

#include <gtest/gtest.h>

namespace stepscope {
namespace {

std::string encoded(std::uint32_t c) {
  char bytes[4];
  return std::string(bytes, append_utf8(bytes, c));
}

TEST(Utf8, EveryLength) {
  EXPECT_EQ(encoded('a'), "a");
  EXPECT_EQ(encoded(0x7F), "\x7F");
  EXPECT_EQ(encoded(0x80), "\xC2\x80");
  EXPECT_EQ(encoded(0x7FF), "\xDF\xBF");
  EXPECT_EQ(encoded(0x800), "\xE0\xA0\x80");
  EXPECT_EQ(encoded(0xFFFF), "\xEF\xBF\xBF");
  EXPECT_EQ(encoded(0x10000), "\xF0\x90\x80\x80");
  EXPECT_EQ(encoded(0x10FFFF), "\xF4\x8F\xBF\xBF");
}

TEST(Utf8, WhatIsNoCodePoint) {
  for (const std::uint32_t c : {0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU})
    EXPECT_EQ(encoded(c), "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace stepscope
