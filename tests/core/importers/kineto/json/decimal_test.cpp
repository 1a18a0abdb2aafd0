// SPDX-License-Identifier: Apache-2.0
#include "core/importers/kineto/json/decimal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace stepscope::kineto {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(KinetoDecimal, MicrosecondsBecomeExactNanoseconds) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"0", 0},
      {"0.000", 0},
      {"0.001", 1},
      {"1", 1000},
      {"5.5", 5500},
      {"105.756", 105756},
      {"4377651843188.448", 4377651843188448},
      {"1790857026000000.001", 1790857026000000001},  // a double would lose the last two digits
      {"9007199254740993.999", 9007199254740993999},  // above 2^53
      {"9223372036854775.807", kMost},
      {"-2.5", -2500},
      {"-0.001", -1},
      {"00012.340", 12340},
      {"1.2345e+6", 1234500000},
      {"1.2345E3", 1234500},
      {"12345678e-3", 12345678},
      {"1e-400", 0},
      {"0e99999999999", 0},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(nanoseconds(text), expected) << text;
}

TEST(KinetoDecimal, DigitsBelowANanosecondAreRoundedHalfAway) {
  const std::pair<const char*, std::int64_t> rows[] = {
      {"1.0004", 1000},
      {"1.0005", 1001},
      {"1.00049999999999999999999999999999", 1000},
      {"1.0005000000000000000000000000000", 1001},
      {"-1.0005", -1001},
      {"4377651843188.448000000000000000000", 4377651843188448},
      {"0.0000000000000000000000000000005", 0},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(nanoseconds(text), expected) << text;
}

TEST(KinetoDecimal, WhatIsNoSuchNumberIsEmpty) {
  for (const char* text : {"",
                           "-",
                           "abc",
                           "NaN",
                           "Infinity",
                           "-Infinity",
                           "inf",
                           "nan",
                           "1.5x",
                           "1e",
                           "1e+",
                           "1e400",
                           "1e99999999999",
                           "9223372036854775.808",
                           "99999999999999999999",
                           "0x10",
                           " 1",
                           "1 ",
                           "1,5",
                           ".",
                           ".5",
                           "--1",
                           "1-"}) {
    EXPECT_EQ(nanoseconds(text), std::nullopt) << text;
  }
  EXPECT_EQ(nanoseconds(std::string(1000, '9')), std::nullopt);
  EXPECT_EQ(nanoseconds(std::string(1000, '0') + "7"), 7000);
}

TEST(KinetoDecimal, Integers) {
  EXPECT_EQ(integer("9223372036854775807"), kMost);
  EXPECT_EQ(integer("-9223372036854775807"), -kMost);
  EXPECT_EQ(integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer("18446744073709551616"), std::nullopt);
  EXPECT_EQ(integer("3.0"), 3);
}

TEST(KinetoDecimal, RealsAreFinite) {
  EXPECT_EQ(real("97.5"), 97.5);
  EXPECT_EQ(real("3e3"), 3000.0);
  for (const char* text : {"1e400", "nan", "inf", "-inf", "", "x", "1x"})
    EXPECT_EQ(real(text), std::nullopt) << text;
}

}  // namespace
}  // namespace stepscope::kineto
