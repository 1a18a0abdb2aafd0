// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/float_bits.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace stepscope::kernels {
namespace {

// By the definition of the format, in double.
double half_value(std::uint32_t bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1 : 1;
  const int exponent = static_cast<int>((bits >> 10) & 31U);
  const double mantissa = (bits & 1023U) / 1024.0;
  if (exponent == 31) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, -14);
  return sign * std::ldexp(1 + mantissa, exponent - 15);
}

TEST(FloatBits, EveryHalfConvertsExactly) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double value = to_float(Float16{static_cast<std::uint16_t>(bits)});
    const double expected = half_value(bits);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(value, expected) << bits;
      EXPECT_EQ(std::signbit(value), std::signbit(expected)) << bits;
    }
  }
}

TEST(FloatBits, BfloatIsTheUpperHalfOfAFloat) {
  EXPECT_EQ(to_float(Bfloat16{0x3f80}), 1.0F);
  EXPECT_EQ(to_float(Bfloat16{0xc040}), -3.0F);
  EXPECT_EQ(to_float(Bfloat16{0x7f80}), INFINITY);
  EXPECT_EQ(bits_of(to_float(Bfloat16{0x8001})), 0x80010000U);
}

TEST(FloatBits, RoundsToTheNearestBfloatAndTiesToEven) {
  EXPECT_EQ(to_bfloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(to_bfloat16(-0.0F).bits, 0x8000);
  EXPECT_EQ(to_bfloat16(float_of_bits(0x3f808000U)).bits, 0x3f80) << "halfway, even below";
  EXPECT_EQ(to_bfloat16(float_of_bits(0x3f818000U)).bits, 0x3f82) << "halfway, even above";
  EXPECT_EQ(to_bfloat16(float_of_bits(0x3f808001U)).bits, 0x3f81);
  EXPECT_EQ(to_bfloat16(float_of_bits(0x7f7fffffU)).bits, 0x7f80) << "beyond the greatest";
  EXPECT_EQ(to_bfloat16(INFINITY).bits, 0x7f80);
  EXPECT_EQ(to_bfloat16(float_of_bits(1)).bits, 0);
  EXPECT_TRUE(std::isnan(to_float(to_bfloat16(float_of_bits(0xffffffffU)))));
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Bfloat16 exact{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(exact))) continue;
    EXPECT_EQ(to_bfloat16(to_float(exact)).bits, bits);
  }
}

}  // namespace
}  // namespace stepscope::kernels
