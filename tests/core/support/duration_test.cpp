// SPDX-License-Identifier: Apache-2.0
#include "core/support/duration.hpp"

#include <gtest/gtest.h>

namespace stepscope {
namespace {

TEST(Duration, IsPrintedWithThreeDigitsInTheUnitThatSuits) {
  EXPECT_EQ(format_duration(0), "0 ns");
  EXPECT_EQ(format_duration(850), "850 ns");
  EXPECT_EQ(format_duration(1'500), "1.50 us");
  EXPECT_EQ(format_duration(38'249'000), "38.2 ms");
  EXPECT_EQ(format_duration(999'600), "1.00 ms");
  EXPECT_EQ(format_duration(421e6), "421 ms");
  EXPECT_EQ(format_duration(72.5e9), "72.5 s");
}

TEST(Duration, IsReadWithItsUnit) {
  EXPECT_EQ(parse_duration("38.2ms").value(), 38'200'000);
  EXPECT_EQ(parse_duration("1.2 s").value(), 1'200'000'000);
  EXPECT_EQ(parse_duration("900us").value(), 900'000);
  EXPECT_EQ(parse_duration("50ns").value(), 50);
}

TEST(Duration, WithoutUnitOrSenseIsAUsageErrorThatShowsTheForm) {
  for (const char* text :
       {"", "38.2", "ms", "-5ms", "0ms", "1e300s", "nan ms", "5 minutes", "3ms2"}) {
    const auto result = parse_duration(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().code, ErrorCode::usage);
    EXPECT_NE(result.error().message.find("38.2ms"), std::string::npos);
  }
}

TEST(CountText, HasThreeDigitsOrAllBeforeThePoint) {
  EXPECT_EQ(count_text(0.25), "0.25");
  EXPECT_EQ(count_text(12.34), "12.3");
  EXPECT_EQ(count_text(999.6), "1000");
  EXPECT_EQ(count_text(8'070), "8070");
}

}  // namespace
}  // namespace stepscope
