// SPDX-License-Identifier: Apache-2.0
#include "tests/support/text_line.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace stepscope::testing {
namespace {

TEST(TextLine, WordsOptionsQuotesAndComments) {
  const TextLine line = parse_line("  kernel s7 \"a kernel=b\" id=5 at=x.py:3 # why", 4);
  EXPECT_EQ(line.words, (std::vector<std::string>{"kernel", "s7", "a kernel=b"}));
  EXPECT_EQ(line.option("id"), "5");
  EXPECT_EQ(line.option("at"), "x.py:3");
  EXPECT_EQ(line.option("none", "fallback"), "fallback");
  EXPECT_EQ(line.number, 4);
}

TEST(TextLine, AnEqualsSignInsideANameIsNoOption) {
  EXPECT_EQ(parse_line("kernel gemm<A=1>", 1).words.size(), 2U);
}

TEST(TextLine, TimesAreExact) {
  EXPECT_EQ(parse_time("12.5"), 12500);
  EXPECT_EQ(parse_time("0.001"), 1);
  EXPECT_EQ(parse_time("-3"), -3000);
  EXPECT_EQ(parse_time("800ns"), 800);
  EXPECT_EQ(parse_time("3.25ms"), 3250000);
  EXPECT_EQ(parse_time("9007199254740.993"), 9007199254740993);  // 2^53 + 1: no double holds it
}

TEST(TextLine, WhatIsNoTimeIsRejected) {
  EXPECT_THROW(parse_time("abc"), std::invalid_argument);
  EXPECT_THROW(parse_time("5h"), std::invalid_argument);
  EXPECT_THROW(parse_time("0.0001"), std::invalid_argument);
  EXPECT_THROW(parse_time("1.2.3"), std::invalid_argument);
  EXPECT_THROW(parse_count("1x"), std::invalid_argument);
}

TEST(TextLine, PrintedTimesAreShortAndExact) {
  EXPECT_EQ(print_time(12500), "12.5");
  EXPECT_EQ(print_time(-1), "-0.001");
  EXPECT_EQ(print_time(7000), "7");
}

}  // namespace
}  // namespace stepscope::testing
