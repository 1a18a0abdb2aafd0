// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/bracket.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels::batch_topk_device {
namespace {

constexpr int kPlaceBits = 10;
constexpr std::uint32_t kNanFirst = 0xffffffffU;  // ordered keys of NaN, by policy
constexpr std::uint32_t kNanLast = 0;

// Classifies a key at a place; the bracket's codes begin at its least key.
Standing standing(const Bracket& bracket, std::uint32_t key, std::int64_t place, bool nan = false,
                  bool plain = false) {
  const CandidateCode coding{bracket.low, kPlaceBits};
  return standing_of(bracket, key, nan, plain, [&] { return coding.encode(key, place); });
}

TEST(Bracket, KeysStandToItsEnds) {
  const Bracket bracket = bracket_of_keys(100, 200, kPlaceBits);
  EXPECT_EQ(standing(bracket, 99, 0), Standing::below);
  EXPECT_EQ(standing(bracket, 100, 1023), Standing::candidate);
  EXPECT_EQ(standing(bracket, 200, 0), Standing::candidate);
  EXPECT_EQ(standing(bracket, 201, 1023), Standing::above);
}

// What is clear for numbers is not for NaN, which a quick comparison leaves unclear too.
TEST(Bracket, NanAreAboveOrBelowABracketOfNumbers) {
  const Bracket bracket = bracket_of_keys(100, 200, kPlaceBits);
  for (const bool plain : {false, true}) {
    EXPECT_EQ(standing(bracket, kNanFirst, 5, true, plain), Standing::above);
    EXPECT_EQ(standing(bracket, kNanLast, 5, true, plain), Standing::below);
  }
  const Bracket to_the_end = bracket_of_keys(kNanFirst - 7, kNanFirst, kPlaceBits);
  EXPECT_EQ(standing(to_the_end, kNanFirst, 5, true), Standing::candidate);
}

TEST(Bracket, UnclearNumbersAreCandidatesWhereThatIsPlain) {
  const Bracket bracket = bracket_of_keys(100, 200, kPlaceBits);
  EXPECT_EQ(standing(bracket, 150, 5, false, true), Standing::candidate);
}

TEST(Bracket, OfPlacesHoldsThoseWhoseCodesBeginWithAPrefix) {
  const CandidateCode coding{100, kPlaceBits};
  const std::uint64_t prefix = coding.encode(100, 639) >> 7 << 7;  // places 512 to 639
  const Bracket bracket = bracket_of_places(100, prefix, 7);
  EXPECT_EQ(standing(bracket, 100, 511), Standing::above);
  EXPECT_EQ(standing(bracket, 100, 512), Standing::candidate);
  EXPECT_EQ(standing(bracket, 100, 639), Standing::candidate);
  EXPECT_EQ(standing(bracket, 100, 640), Standing::below);
  EXPECT_EQ(standing(bracket, 101, 640), Standing::above);
  EXPECT_EQ(standing(bracket, 99, 0), Standing::below);
}

TEST(Bracket, OfNoneHoldsNoNanEither) {
  const Bracket bracket = bracket_of_none(kPlaceBits);
  for (const std::uint32_t key : {0U, 0x8000U, 0xffffU, 0xfffffffeU})
    EXPECT_EQ(standing(bracket, key, 0), Standing::below);
  for (const std::uint32_t nan : {kNanFirst, 0xffffU, kNanLast})
    EXPECT_EQ(standing(bracket, nan, 0, true), Standing::below);
}

TEST(Bracket, WithoutCodesHoldsNoCandidate) {
  const Bracket bracket = bracket_of_keys(1, 0xff800000U, 40);
  ASSERT_FALSE(bracket.encodable);
  EXPECT_EQ(standing(bracket, 7, 0), Standing::below);
  EXPECT_EQ(standing(bracket, 0xff800001U, 0), Standing::above);
}

}  // namespace
}  // namespace stepscope::kernels::batch_topk_device
