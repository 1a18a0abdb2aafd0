// SPDX-License-Identifier: Apache-2.0
#include "kernels/batch_topk/warm_start.hpp"

#include <gtest/gtest.h>

namespace stepscope::kernels {
namespace {

constexpr std::int64_t kCount = 204'800;

// A call on keys of which so many lie at each number: what it says of a bracket about its cut.
WarmOutcome call_on(std::int64_t keys_of_number, const BatchTopkWarmStart& known, std::uint32_t key,
                    std::int64_t equals_above) {
  WarmOutcome found;
  found.key = key;
  found.misled = key < known.low || key > known.high;
  found.low = known.low;
  found.high = known.high;
  found.below = std::int64_t{key - known.low} * keys_of_number + keys_of_number - equals_above;
  found.above = std::int64_t{known.high - key} * keys_of_number + equals_above;
  found.count = kCount;
  found.first_guess = 4;
  return found;
}

BatchTopkWarmStart settled(std::int64_t keys_of_number, std::uint32_t key,
                           std::int64_t equals_above) {
  BatchTopkWarmStart known;
  for (int i = 0; i < 100; ++i)
    known = next_warm_start(known, call_on(keys_of_number, known, key, equals_above));
  return known;
}

TEST(WarmStart, BeginsWithAGuessAboutTheKey) {
  const BatchTopkWarmStart known = next_warm_start({}, call_on(1, {}, 1000, 0));
  EXPECT_EQ(known.low, 996U);
  EXPECT_EQ(known.high, 1004U);
  EXPECT_EQ(known.key, 1000U);
}

TEST(WarmStart, SettlesWhereEitherSideHoldsTheRanksWanted) {
  const BatchTopkWarmStart known = settled(2, 500'000, 1);
  EXPECT_NEAR(500'000 - known.low, warm_ranks(kCount) / 2, 2);
  EXPECT_NEAR(known.high - 500'000, warm_ranks(kCount) / 2, 2);
}

TEST(WarmStart, EqualsOfTheCutAreEnoughWhereTheyAreMany) {
  const BatchTopkWarmStart known = settled(10'000, 300, 5'000);
  EXPECT_EQ(known.low, 300U);
  EXPECT_EQ(known.high, 300U);
}

TEST(WarmStart, TheNextKeyCountsAsReachedForSomeCallsWhereFewEqualsAreLeft) {
  BatchTopkWarmStart known = settled(10'000, 300, 9'900);
  int narrow = 0;
  for (int i = 0; i < 100; ++i) {
    known = next_warm_start(known, call_on(10'000, known, 300, 9'900));
    narrow += known.low == 300 ? 1 : 0;
  }
  EXPECT_LE(narrow, 100 / 16 + 1);
}

TEST(WarmStart, ReachesTwiceAsFarAsTheKeyMovedAndForgetsIt) {
  BatchTopkWarmStart known = settled(10'000, 300, 5'000);
  known.low = 290;
  known = next_warm_start(known, call_on(10'000, known, 295, 5'000));
  EXPECT_EQ(known.low, 285U);
  EXPECT_EQ(known.high, 305U);
  for (int i = 0; i < 10; ++i) known = next_warm_start(known, call_on(10'000, known, 295, 5'000));
  EXPECT_GT(known.high, 297U) << "not at once";
  for (int i = 0; i < 100; ++i) known = next_warm_start(known, call_on(10'000, known, 295, 5'000));
  EXPECT_EQ(known.high, 295U);
}

TEST(WarmStart, ABracketThatDidNotHoldTheKeyIsDoubledAboutIt) {
  const BatchTopkWarmStart known{300, 310, 305, 0};
  const BatchTopkWarmStart next = next_warm_start(known, call_on(1, known, 320, 0));
  EXPECT_EQ(next.low, 310U);
  EXPECT_EQ(next.high, 330U);
}

TEST(WarmStart, ABracketThatHeldTooMuchIsHalved) {
  const BatchTopkWarmStart known{300, 340, 305, 99};
  WarmOutcome found = call_on(1, known, 320, 0);
  found.misled = true;
  const BatchTopkWarmStart next = next_warm_start(known, found);
  EXPECT_EQ(next.low, 310U);
  EXPECT_EQ(next.high, 330U);
  EXPECT_EQ(next.reach, 0U);
}

TEST(WarmStart, ALeapBeginsAnew) {
  const BatchTopkWarmStart known{0, 0x7fffffff, 305, 0xffffffff};
  const BatchTopkWarmStart next = next_warm_start(known, call_on(1, known, 0x90000000, 0));
  EXPECT_EQ(next.low, 0x90000000U - 4);
  EXPECT_EQ(next.high, 0x90000000U + 4);
  EXPECT_EQ(next.key, 0x90000000U);
}

TEST(WarmStart, StaysWithinTheKeys) {
  for (const std::uint32_t key : {0U, 3U, 0xfffdU, 0xffffU}) {
    WarmOutcome found = call_on(1, {}, key, 0);
    found.greatest = 0xffff;
    const BatchTopkWarmStart next = next_warm_start({}, found);
    EXPECT_LE(next.low, key);
    EXPECT_GE(next.high, key);
    EXPECT_LE(next.high, 0xffffU);
  }
}

// Rubbish costs calls, not for ever.
TEST(WarmStart, FindsBackFromAnything) {
  for (const std::uint32_t rubbish : {0x3c3c3c3cU, 0x7f7f7f7fU, 0xffffffffU}) {
    BatchTopkWarmStart known{rubbish, rubbish, rubbish, rubbish};
    int calls = 0;
    const auto too_many = [&] { return known.high - known.low > 1'000'000U; };
    do {
      WarmOutcome found = call_on(1, known, 0x80001000, 0);
      found.misled = found.misled || too_many();
      found.first_guess = 1U << 18;
      known = next_warm_start(known, found);
    } while (++calls < 50 && (known.low > 0x80001000 || known.high < 0x80001000 || too_many()));
    EXPECT_LT(calls, 4);
  }
}

}  // namespace
}  // namespace stepscope::kernels
