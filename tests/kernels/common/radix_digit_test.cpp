// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/radix_digit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

namespace stepscope::kernels {
namespace {

TEST(RadixDigit, TakesItsBits) {
  EXPECT_EQ(digit_of(0xabcd1234U, {21, 11}), 0xabcd1234U >> 21);
  EXPECT_EQ(digit_of(0xabcd1234U, {0, 8}), 0x34U);
}

TEST(RadixDigit, ThePrefixIsAllAboveTheDigit) {
  EXPECT_TRUE(matches_prefix(0xabcd1234U, 0, {21, 11}));
  EXPECT_TRUE(matches_prefix(0xabcd1234U, 0xabcd0000U, {8, 8}));
  EXPECT_FALSE(matches_prefix(0xabcd1234U, 0xabce0000U, {8, 8}));
}

TEST(RadixDigit, TheChosenBinHoldsTheWantedKey) {
  const std::vector<std::uint32_t> counts{5, 0, 3, 2};
  const auto expect = [&](std::int64_t wanted, std::uint32_t bin, std::int64_t left) {
    const ChosenBin chosen = choose_bin(counts.data(), 4, wanted);
    EXPECT_EQ(chosen.bin, bin) << wanted;
    EXPECT_EQ(chosen.wanted, left) << wanted;
    EXPECT_EQ(chosen.inside, counts[bin]) << wanted;
  };
  expect(1, 3, 1);
  expect(2, 3, 2);
  expect(3, 2, 1);
  expect(5, 2, 3);
  expect(6, 0, 1);
  expect(10, 0, 5);
}

// The loop that the exact path runs on the device, against a sort.
TEST(RadixDigit, DigitsFromTheTopFindTheWantedKey) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> keys(1000);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) & 0xfff0ffffU;
  std::vector<std::uint32_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  for (const std::int64_t wanted : {1, 2, 500, 999, 1000}) {
    std::uint32_t prefix = 0;
    std::int64_t left = wanted;
    for (const Digit digit : {Digit{21, 11}, Digit{10, 11}, Digit{0, 10}}) {
      std::vector<std::uint32_t> counts(1U << digit.bits);
      for (const std::uint32_t key : keys)
        if (matches_prefix(key, prefix, digit)) ++counts[digit_of(key, digit)];
      const ChosenBin chosen = choose_bin(counts.data(), 1U << digit.bits, left);
      prefix |= chosen.bin << digit.shift;
      left = chosen.wanted;
    }
    EXPECT_EQ(prefix, sorted[static_cast<std::size_t>(wanted - 1)]);
  }
}

}  // namespace
}  // namespace stepscope::kernels
