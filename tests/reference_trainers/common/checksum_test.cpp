// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/common/checksum.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace stepscope::trainers {
namespace {

std::uint64_t of(const std::string& text, std::uint64_t before = 0) {
  return checksum(text.data(), text.size(), before);
}

TEST(Checksum, EveryFlippedBitChangesIt) {
  const std::string text = "nineteen characters";
  std::set<std::uint64_t> seen{of(text)};
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    seen.insert(of(other));
  }
  EXPECT_EQ(seen.size(), 8 * text.size() + 1);
}

// As signs of numbers: a product alone would not see two of them.
TEST(Checksum, TwoFlippedHighestBitsChangeIt) {
  std::string text(32, 'x');
  const std::uint64_t whole = of(text);
  text[7] ^= '\x80', text[23] ^= '\x80';
  EXPECT_NE(of(text), whole);
}

TEST(Checksum, KnowsLengthOrderAndWhatWasBefore) {
  EXPECT_NE(of(std::string(3, '\0')), of(std::string(4, '\0')));
  EXPECT_NE(of("abcdefghABCDEFGH"), of("ABCDEFGHabcdefgh"));
  EXPECT_NE(of("b", of("a")), of("a", of("b")));
  EXPECT_EQ(of("b", of("a")), of("b", of("a")));
}

}  // namespace
}  // namespace stepscope::trainers
