// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/divider.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stepscope::kernels {
namespace {

constexpr std::uint64_t kMostDividend = std::uint64_t{1} << 33;
constexpr std::uint32_t kMostDivisor = std::uint32_t{1} << 31;

void expect_divides(std::uint64_t dividend, std::uint32_t divisor) {
  dividend = std::min(dividend, kMostDividend);
  if (dividend / divisor > 0xffffffffU) return;
  const Divider::Parts parts = Divider(divisor).divide(dividend);
  EXPECT_EQ(parts.quotient, dividend / divisor) << dividend << " / " << divisor;
  EXPECT_EQ(parts.remainder, dividend % divisor) << dividend << " / " << divisor;
}

void expect_divides_about(std::uint64_t dividend, std::uint32_t divisor) {
  for (std::uint64_t away = 0; away < 3; ++away) {
    expect_divides(dividend + away, divisor);
    if (dividend >= away) expect_divides(dividend - away, divisor);
  }
}

TEST(Divider, IsExactAboutMultiplesOfSmallAndLargeDivisors) {
  for (const std::uint32_t divisor :
       {1U, 2U, 3U, 5U, 7U, 1000U, 1024U, 49152U, 589824U, 65537U, kMostDivisor - 1, kMostDivisor})
    for (const std::uint64_t multiple :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1023},
          kMostDividend / divisor / 2, kMostDividend / divisor})
      expect_divides_about(multiple * divisor, divisor);
}

TEST(Divider, IsExactForAnyNumbers) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 200000; ++i) {
    const auto divisor = static_cast<std::uint32_t>((kMostDivisor - 1) >> random() % 31) | 1U;
    const auto any = static_cast<std::uint32_t>(1 + random() % divisor);
    expect_divides_about(random() % (kMostDividend + 1), any);
    expect_divides_about(random() % (kMostDividend / any + 1) * any, any);
  }
}

}  // namespace
}  // namespace stepscope::kernels
