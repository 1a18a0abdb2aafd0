// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernels/fp8/fp8_numbers.hpp"

namespace stepscope::kernels {
namespace {

constexpr Fp8Format kFormats[] = {Fp8Format::e4m3, Fp8Format::e5m2};

std::vector<float> finite_numbers(Fp8Format format) {
  std::vector<float> all;
  for (int code = 0; code < 256; ++code) {
    const float number = from_fp8(format, static_cast<std::uint8_t>(code));
    if (!std::isnan(number)) all.push_back(number);
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Fp8Code, HasTheRangeOfItsFormat) {
  EXPECT_EQ(from_fp8(Fp8Format::e4m3, 0x7e), 448.0F);
  EXPECT_EQ(from_fp8(Fp8Format::e4m3, 0x01), 0x1p-9F);
  EXPECT_EQ(from_fp8(Fp8Format::e4m3, 0x08), 0x1p-6F);
  EXPECT_EQ(from_fp8(Fp8Format::e5m2, 0x7b), 57344.0F);
  EXPECT_EQ(from_fp8(Fp8Format::e5m2, 0x01), 0x1p-16F);
  EXPECT_EQ(from_fp8(Fp8Format::e5m2, 0x3c), 1.0F);
  EXPECT_EQ(finite_numbers(Fp8Format::e4m3).size(), 254U);
  EXPECT_EQ(finite_numbers(Fp8Format::e5m2).size(), 248U);
}

TEST(Fp8Code, EachNumberIsItsOwnCode) {
  for (const Fp8Format format : kFormats)
    for (int code = 0; code < 256; ++code) {
      const auto own = static_cast<std::uint8_t>(code);
      const float number = from_fp8(format, own);
      if (std::isnan(number)) continue;
      EXPECT_EQ(to_fp8(format, number), own) << code;
    }
}

// Between two neighbours the nearer is taken; at the middle the one whose last bit is 0.
TEST(Fp8Code, RoundsToNearestTiesToEven) {
  for (const Fp8Format format : kFormats) {
    const std::vector<float> numbers = finite_numbers(format);
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      const float low = numbers[i], high = numbers[i + 1], middle = (low + high) / 2;
      if (low == high) continue;  // the zeros
      const std::uint8_t of_middle = to_fp8(format, middle);
      EXPECT_EQ(of_middle & 1U, 0U) << middle;
      EXPECT_TRUE(from_fp8(format, of_middle) == low || from_fp8(format, of_middle) == high);
      EXPECT_EQ(from_fp8(format, to_fp8(format, std::nextafter(middle, low))), low);
      EXPECT_EQ(from_fp8(format, to_fp8(format, std::nextafter(middle, high))), high);
    }
  }
}

TEST(Fp8Code, BeyondTheGreatestItIsTheGreatestAndNoNumberStaysNone) {
  for (const Fp8Format format : kFormats) {
    const float greatest = layout_of(format).greatest;
    for (const float number : {greatest * 1.01F, greatest * 2, 3e38F}) {
      EXPECT_EQ(from_fp8(format, to_fp8(format, number)), greatest);
      EXPECT_EQ(from_fp8(format, to_fp8(format, -number)), -greatest);
    }
    EXPECT_EQ(from_fp8(format, to_fp8(format, -1e38F, 1e10F)), -greatest);
    for (const float number : {std::nanf(""), std::numeric_limits<float>::infinity()})
      EXPECT_TRUE(std::isnan(from_fp8(format, to_fp8(format, number))));
  }
}

TEST(Fp8Scale, TakesTheGreatestIntoTheUpperHalfOfTheRange) {
  for (const float greatest : {448.0F, 57344.0F})
    for (float amax = 1e-25F; amax < 1e25F; amax *= 1.37F) {
      const float scale = fp8_scale(amax, greatest);
      EXPECT_LE(amax * scale, greatest * (1 + 1e-6F)) << amax;
      EXPECT_GT(amax * scale, greatest / 2 * (1 - 1e-6F)) << amax;
      EXPECT_EQ(bits_of(scale) & 0x7fffffU, 0U) << "a power of two";
      EXPECT_EQ(1 / (1 / scale), scale);
    }
}

TEST(Fp8Scale, OfNothingIsOneAndIsNeverTooLarge) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float amax : {0.0F, infinity, std::nanf(""), -1.0F})
    EXPECT_EQ(fp8_scale(amax, 448), 1.0F) << amax;
  EXPECT_EQ(fp8_scale(1e-40F, 448), 0x1p100F);
  EXPECT_GT(fp8_scale(std::numeric_limits<float>::max(), 448), 0);
  EXPECT_TRUE(std::isnormal(1 / fp8_scale(1e-40F, 57344)));
}

}  // namespace
}  // namespace stepscope::kernels
