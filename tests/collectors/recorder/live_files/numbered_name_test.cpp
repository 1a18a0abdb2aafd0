// SPDX-License-Identifier: Apache-2.0
#include "collectors/recorder/live_files/numbered_name.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "collectors/recorder/recorder.hpp"

namespace stepscope::recorder {
namespace {

// The pattern, with "$" where a number was.
std::string pattern_of(std::string_view text) {
  std::string pattern(take_numbers(text).pattern.view());
  for (char& c : pattern) c = c == kNumber ? '$' : c;
  return pattern;
}

std::string there_and_back(std::string_view text) {
  const NumberedName name = take_numbers(text);
  const RangeName carried = RangeName::of_bits(RangeName(7, name.numbers).bits());
  EXPECT_EQ(carried.id(), 7U);
  return std::string(with_numbers(name.pattern.view(), carried.numbers()).view());
}

TEST(NumberedName, ThePatternIsTheSameForAllNumbers) {
  EXPECT_EQ(pattern_of("step 12"), "step $");
  EXPECT_EQ(pattern_of("step 123456"), "step $");
  EXPECT_EQ(pattern_of("epoch 3/iter 7"), "epoch $/iter $");
  EXPECT_EQ(pattern_of("12"), "$");
}

TEST(NumberedName, TheTextComesBack) {
  for (const char* text : {"step 12", "epoch 3/iter 7", "batch_000123", "0", "00", "9999999999999",
                           "step 123456/500000", "ProfilerStep#12", "a1b2c3d4e5f6g7", "1.2.3 #"})
    EXPECT_EQ(there_and_back(text), text);
}

TEST(NumberedName, TheTextComesBackWhateverItIs) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    std::size_t digits = 0;
    while (random() % 16 != 0 && digits < kMaxNumberDigits / 2) {
      const bool is_digit = random() % 2 == 0;
      digits += is_digit ? 1 : 0;
      text += static_cast<char>((is_digit ? '0' : 'p') + random() % 10);
    }
    ASSERT_EQ(there_and_back(text), text);
    ASSERT_EQ(take_numbers(text).numbered, digits > 0);
  }
}

TEST(NumberedName, ANumberThatDoesNotFitIsLost) {
  EXPECT_EQ(pattern_of("step 1234567/9999999"), "step $/#");
  EXPECT_EQ(there_and_back("step 1234567/9999999"), "step 1234567/#");
  EXPECT_EQ(there_and_back("run 12345678901234 step 5"), "run # step 5");
  EXPECT_EQ(take_numbers("run 12345678901234").numbers, 0U);
}

TEST(NumberedName, SomeTextsHaveNoPattern) {
  EXPECT_FALSE(take_numbers("topk").numbered);
  EXPECT_FALSE(take_numbers("").numbered);
  EXPECT_FALSE(take_numbers("step 1\x01").numbered);
  EXPECT_FALSE(take_numbers(std::string(kMaxPattern, 'x') + "1").numbered);
}

// What is read back from a dead process may be anything.
TEST(NumberedName, MoreOrFewerNumbersThanThePatternHasAreHarmless) {
  EXPECT_EQ(with_numbers("step \x01/\x01", take_numbers("7").numbers).view(), "step 7/");
  EXPECT_EQ(with_numbers("step \x01", take_numbers("7/8").numbers).view(), "step 7");
  EXPECT_EQ(with_numbers("step", ~std::uint64_t{0} >> 18U).view(), "step");
  EXPECT_EQ(with_numbers(std::string(5000, 'x'), 1).view().size(), kMaxPattern + kMaxNumberDigits);
}

}  // namespace
}  // namespace stepscope::recorder
