// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/ordered_key.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace stepscope::kernels {
namespace {

template <class T>
class SixteenBitKeys : public testing::Test {};
using SixteenBitTypes = testing::Types<Bfloat16, Float16>;
TYPED_TEST_SUITE(SixteenBitKeys, SixteenBitTypes);

// Every value against the numerically next key in both directions, so over all pairs by
// transitivity.
TYPED_TEST(SixteenBitKeys, SortLikeTheNumbers) {
  std::vector<std::vector<double>> numbers_of_key(65536);
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam value{static_cast<std::uint16_t>(bits)};
    const double number = to_float(value);
    const std::uint32_t key = ordered_key(value, NanRank::last);
    ASSERT_LT(key, 65536U);
    EXPECT_EQ(std::isnan(number), key == 0) << bits;
    if (!std::isnan(number)) numbers_of_key[key].push_back(number);
  }
  double before = -std::numeric_limits<double>::infinity();
  bool first = true;
  for (const std::vector<double>& numbers : numbers_of_key)
    for (const double number : numbers) {
      EXPECT_EQ(number, numbers.front());
      EXPECT_TRUE(first || number != before || number == 0) << number << " has two keys";
      EXPECT_TRUE(first || number >= before) << number << " after " << before;
      before = number;
      first = false;
    }
  EXPECT_EQ(before, std::numeric_limits<double>::infinity());
  EXPECT_EQ(numbers_of_key[OrderedTraits<TypeParam>::kSign].size(), 2U) << "+0 and -0";
}

TYPED_TEST(SixteenBitKeys, ComeBackAsTheirNumber) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const TypeParam value{static_cast<std::uint16_t>(bits)};
    for (const NanRank nan : {NanRank::last, NanRank::first}) {
      const std::uint32_t key = ordered_key(value, nan);
      const float back = float_of_ordered(key, KeyTypeOf<TypeParam>::value);
      if (std::isnan(to_float(value))) {
        EXPECT_TRUE(std::isnan(back));
      } else {
        EXPECT_EQ(back, to_float(value));
      }
      EXPECT_TRUE(to_float(value) != 0 || !std::signbit(back));
    }
  }
}

TYPED_TEST(SixteenBitKeys, NanRanksAtTheChosenEnd) {
  for (const std::uint16_t bits : std::vector<std::uint16_t>{0x7fff, 0xffff, 0xfff0}) {
    EXPECT_EQ(ordered_key(TypeParam{bits}, NanRank::last), 0U);
    EXPECT_EQ(ordered_key(TypeParam{bits}, NanRank::first), 0xffffU);
  }
}

TYPED_TEST(SixteenBitKeys, LeastPositiveFollowsZero) {
  EXPECT_EQ(ordered_key(TypeParam{0x0001}, NanRank::last), kLeastPositiveKey<TypeParam>);
  EXPECT_EQ(ordered_key(TypeParam{0x8000}, NanRank::last) + 1, kLeastPositiveKey<TypeParam>);
}

TEST(OrderedKey, FloatsSortLikeTheNumbers) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float most = std::numeric_limits<float>::max();
  const std::vector<float> rising{-INFINITY, -most, -1.5F, -1, -tiny, 0,       tiny,
                                  1e-40F,    1,     1.5F,  2,  most,  INFINITY};
  for (std::size_t i = 0; i + 1 < rising.size(); ++i)
    EXPECT_LT(ordered_key(rising[i], NanRank::last), ordered_key(rising[i + 1], NanRank::last));
  EXPECT_GE(ordered_key(-INFINITY, NanRank::last), kLeastNumberKey);
  EXPECT_EQ(ordered_key(-0.0F, NanRank::last), ordered_key(0.0F, NanRank::last));
  EXPECT_EQ(ordered_key(tiny, NanRank::last), kLeastPositiveKey<float>);
  EXPECT_EQ(ordered_key(std::nanf(""), NanRank::last), 0U);
  EXPECT_EQ(ordered_key(-std::nanf(""), NanRank::first), 0xffffffffU);
  for (const float value : rising)
    EXPECT_EQ(float_of_ordered(ordered_key(value, NanRank::last), KeyType::float32), value);
}

}  // namespace
}  // namespace stepscope::kernels
