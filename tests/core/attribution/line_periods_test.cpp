// SPDX-License-Identifier: Apache-2.0
#include "core/attribution/places/line_periods.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

constexpr Line kBuild{1, 2, 20, false}, kOther{1, 2, 21, false}, kStep{1, 3, 10, false};

void see(std::vector<SeenLine>& seen, const Line& line, std::uint32_t step, bool is_record) {
  seen.push_back({{100 * step, 100 * step + 1}, step, line, is_record});
}

TEST(LinePeriods, ARecordInEachThirdStepHasThePeriodAndOneInAllHasNone) {
  std::vector<SeenLine> seen;
  for (std::uint32_t step = 0; step < 30; ++step) {
    see(seen, kStep, step, true);
    if (step % 3 == 2) see(seen, kBuild, step, true);
  }
  const LinePeriods periods(seen, 30);
  ASSERT_NE(periods.at(kBuild), nullptr);
  EXPECT_EQ(*periods.at(kBuild), (Period{3, 2}));
  EXPECT_EQ(periods.at(kStep), nullptr);
}

// Samples see each line of the function in a part of its steps.
TEST(LinePeriods, LinesOfAFunctionHaveItsPeriod) {
  std::vector<SeenLine> seen;
  for (std::uint32_t step = 2; step < 30; step += 3)
    see(seen, step % 2 ? kBuild : kOther, step, false);
  const LinePeriods periods(seen, 30);
  for (const Line& line : {kBuild, kOther}) {
    ASSERT_NE(periods.at(line), nullptr);
    EXPECT_EQ(*periods.at(line), (Period{3, 2}));
  }
}

// Twelve samples in a row would hardly miss each other time.
TEST(LinePeriods, WhatIsSeenOftenAndMoreSeldomThanOthersKeepsItsOwn) {
  const Line seldom{1, 4, 30, false};
  std::vector<SeenLine> seen;
  for (std::uint32_t step = 2; step < 75; step += 3) {
    see(seen, kBuild, step, false);
    if (step % 2 == 0) see(seen, seldom, step, false);
  }
  const LinePeriods periods(seen, 75);
  EXPECT_EQ(*periods.at(kBuild), (Period{3, 2}));
  ASSERT_NE(periods.at(seldom), nullptr);
  EXPECT_EQ(*periods.at(seldom), (Period{6, 2}));
}

}  // namespace
}  // namespace stepscope
