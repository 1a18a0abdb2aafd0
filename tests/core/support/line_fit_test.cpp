// SPDX-License-Identifier: Apache-2.0
#include "core/support/statistics.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(LineFit, ALineIsFoundWithoutError) {
  const auto fit = fit_line({{1, 12}, {2, 14}, {3, 16}, {10, 30}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->slope, 2, 1e-12);
  EXPECT_NEAR(fit->slope_error, 0, 1e-9);
}

// By hand: x = 0, 1, 2, 3 and y = 0, 2, 1, 3: slope 0.8, residual sum 1.8, error sqrt(0.9 / 5).
TEST(LineFit, TheErrorIsThatOfTheTextbook) {
  const auto fit = fit_line({{0, 0}, {1, 2}, {2, 1}, {3, 3}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->slope, 0.8, 1e-12);
  EXPECT_NEAR(fit->slope_error, 0.424264068711929, 1e-12);
}

TEST(LineFit, LargeValuesKeepTheirDigits) {
  std::vector<Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({1e6 + i, 1.2e11 + 2'097'152.0 * i});
  EXPECT_NEAR(fit_line(points)->slope, 2'097'152, 1e-3);
}

TEST(LineFit, TooLittleGivesNothing) {
  EXPECT_FALSE(fit_line({}));
  EXPECT_FALSE(fit_line({{1, 1}, {2, 2}}));
  EXPECT_FALSE(fit_line({{1, 1}, {1, 2}, {1, 3}}));
}

}  // namespace
}  // namespace stepscope
