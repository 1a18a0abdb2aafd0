// SPDX-License-Identifier: Apache-2.0
// What a code means, and that rounding by chance keeps codes that are exact and has no bias.
#include "kernels/coded_adam/moment_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace stepscope::kernels {
namespace {

constexpr std::uint32_t kGreatestFirst = 0x7f, kGreatestSecond = 0xff;
// The chances' extremes, and some between.
constexpr std::array<std::uint32_t, 5> kChances{0, 0xffffffffU, 0x80008000U, 0x0001ffffU,
                                                0xfffe0001U};

std::uint32_t first_code(float moment, float scale, std::uint32_t chances) {
  return first_code_word(moment, moment_code::inverse(scale), chances) >> 24;
}
std::uint32_t second_code(float moment, float scale, std::uint32_t chances) {
  return second_code_word(moment, moment_code::inverse(scale), chances) >> 24;
}

float moved(float number, int places) {
  for (; places > 0; --places) number = std::nextafter(number, INFINITY);
  for (; places < 0; ++places) number = std::nextafter(number, -INFINITY);
  return number;
}

TEST(MomentCode, NumbersRiseWithCodesFromZeroInStepsOfAnEighth) {
  for (const float scale : {1.0F, 3e-9F, 7e20F}) {
    EXPECT_EQ(first_moment(0, scale), 0);
    EXPECT_EQ(second_moment(0, scale), 0);
    EXPECT_FLOAT_EQ(first_moment(1, scale), 0x1p-18F * scale);
    EXPECT_FLOAT_EQ(second_moment(1, scale), 0x1p-34F * scale);
    EXPECT_FLOAT_EQ(first_moment(kGreatestFirst, scale), (1.875F - 0x1p-15F) * scale);
    EXPECT_FLOAT_EQ(second_moment(kGreatestSecond, scale), 1.875F * scale);
    for (std::uint32_t code = 40; code < kGreatestFirst; ++code) {
      const float step = first_moment(code + 1, scale) / first_moment(code, scale);
      EXPECT_GT(step, 1.06);
      EXPECT_LE(step, 1.13);
      EXPECT_EQ(first_moment(code | 0x80U, scale), -first_moment(code, scale));
    }
    for (std::uint32_t code = 40; code < kGreatestSecond; ++code) {
      const float step = second_moment(code + 1, scale) / second_moment(code, scale);
      EXPECT_GT(step, 1.06);
      EXPECT_LE(step, 1.13);
    }
  }
}

// Whatever the chance, and 3 units in the last place to both sides: more than two roundings of the
// number and three of its scale's reciprocal make.
TEST(MomentCode, ANumberOfACodeGetsThatCode) {
  for (const float scale : {1.0F, 1.9F, 3.3e-9F, 3e-28F, 7e20F})
    for (const std::uint32_t chances : kChances)
      for (int places = -3; places <= 3; ++places) {
        for (std::uint32_t code = 0; code <= kGreatestFirst; ++code) {
          const float number = moved(first_moment(code, scale), code == 0 ? 0 : places);
          ASSERT_EQ(first_code(number, scale, chances), code) << scale << " " << places;
          ASSERT_EQ(first_code(-number, scale, chances), code | 0x80U) << scale << " " << places;
        }
        for (std::uint32_t code = 0; code <= kGreatestSecond; ++code) {
          const float number = moved(second_moment(code, scale), code == 0 ? 0 : places);
          ASSERT_EQ(second_code(number, scale, chances), code) << scale << " " << places;
        }
      }
}

TEST(MomentCode, TheGreatestOfABlockGetsTheGreatestCode) {
  for (int power = -93; power <= 100; power += 3)
    for (const float fraction : {1.0F, 1.1F, 1.37F, 1.75F, 1.9999999F})
      for (const std::uint32_t chances : kChances) {
        const float greatest = std::ldexp(fraction, power);
        const MomentScales scales = scales_of(greatest, greatest);
        EXPECT_EQ(first_code(greatest, scales.first, chances), kGreatestFirst) << greatest;
        EXPECT_EQ(second_code(greatest, scales.second, chances), kGreatestSecond) << greatest;
        EXPECT_NEAR(first_moment(kGreatestFirst, scales.first) / greatest, 1, 3e-7);
        EXPECT_NEAR(second_moment(kGreatestSecond, scales.second) / greatest, 1, 3e-7);
      }
}

// All chances that there are: the mean is the number, as exactly as 16 bits say it.
TEST(MomentCode, RoundingHasNoBias) {
  for (const float number : {1.3F, -0.77F, 0.01234F, -3e-4F, 1.7e-5F, 2e-6F, 1e-7F}) {
    double first = 0, second = 0;
    for (std::uint32_t chance = 0; chance < 0x10000U; ++chance) {
      const std::uint32_t chances = chance << 16 | chance;
      first += first_moment(first_code(number, 1, chances), 1);
      second += second_moment(second_code(std::abs(number), 1, chances), 1);
    }
    const double size = std::max(std::abs(static_cast<double>(number)), 0x1p-15);
    EXPECT_NEAR(first / 0x10000, number, size * 0x1p-17);
    EXPECT_NEAR(second / 0x10000, std::abs(number), std::abs(number) * 0x1p-17);
  }
}

TEST(MomentCode, ASecondMomentNeverBecomesZero) {
  for (const std::uint32_t chances : kChances) {
    EXPECT_EQ(second_code(1e-20F, 1, chances), 1U);
    EXPECT_EQ(second_code(0x1p-125F, 1, chances), 1U);
    EXPECT_EQ(second_code(0, 1, chances), 0U);
  }
}

TEST(MomentCode, ScalesOfNothingAreZeroAndGiveZeros) {
  const MomentScales scales = scales_of(0, 1e-40F);
  EXPECT_EQ(scales.first, 0);
  EXPECT_EQ(scales.second, 0);
  EXPECT_EQ(moment_code::inverse(0), 0);
  for (std::uint32_t code = 0; code < 256; ++code) {
    EXPECT_EQ(first_moment(code, 0), 0);
    EXPECT_EQ(second_moment(code, 0), 0);
  }
  const MomentScales faint = decayed({0x1p-111F, 1}, 0.9F, 0.5F);
  EXPECT_EQ(faint.first, 0) << "its unit is below the least normal number";
  EXPECT_EQ(faint.second, 0.5F);
  EXPECT_EQ(decayed({1, 0x1p-95F}, 0.5F, 0.9F).second, 0);
}

// Sums of both chances of neighbours in one step, and of one parameter over the steps.
TEST(MomentCode, ChancesAreEvenOverParametersAndSteps) {
  constexpr int kCount = 1 << 16;
  for (const std::uint32_t fixed : {0U, 1U, 12345U, 0xfffffff0U}) {
    for (const bool over_steps : {false, true}) {
      std::array<double, 2> sum{}, squares{}, neighbours{}, last{};
      std::array<std::array<int, 16>, 2> bins{};
      double together = 0;
      for (std::uint32_t i = 0; i < kCount; ++i) {
        const std::uint32_t chances = over_steps ? rounding_chances(rounding_key(i + 1), fixed)
                                                 : rounding_chances(rounding_key(fixed + 1), i);
        const std::array<double, 2> number{(chances >> 16) * 0x1p-16 - 0.5,
                                           (chances & 0xffffU) * 0x1p-16 - 0.5};
        together += number[0] * number[1];
        for (std::size_t k = 0; k < 2; ++k) {
          sum[k] += number[k];
          squares[k] += number[k] * number[k];
          neighbours[k] += number[k] * last[k];
          ++bins[k][static_cast<std::size_t>((number[k] + 0.5) * 16)];
        }
        last = number;
      }
      // Five standard deviations of the sums of independent even numbers.
      const double sigma = std::sqrt(kCount / 12.0);
      EXPECT_LT(std::abs(together), 5 * std::sqrt(kCount) / 12) << fixed << over_steps;
      for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_LT(std::abs(sum[k]), 5 * sigma) << fixed << over_steps << k;
        EXPECT_NEAR(squares[k] / kCount, 1.0 / 12, 0.002) << fixed << over_steps << k;
        EXPECT_LT(std::abs(neighbours[k]), 5 * std::sqrt(kCount) / 12) << fixed << over_steps << k;
        for (const int count : bins[k]) EXPECT_NEAR(count, kCount / 16, 5 * 62) << fixed << k;
      }
    }
  }
}

}  // namespace
}  // namespace stepscope::kernels
