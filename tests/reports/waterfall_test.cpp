// SPDX-License-Identifier: Apache-2.0
#include "reports/svg/waterfall.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/reports/sample_comparisons.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

struct DrawnBar {
  std::string css;
  double x = 0;
  double y = 0;
  double width = 0;
  std::int64_t ns = 0;
};

std::vector<DrawnBar> bars_in(const std::string& svg) {
  const std::regex bar(
      "<rect class=\"(total|better|worse)\" x=\"([0-9.-]+)%\" y=\"([0-9.]+)\" width=\"([0-9.]+)%\" "
      "height=\"[0-9.]+\" data-ns=\"(-?[0-9]+)\"");
  std::vector<DrawnBar> bars;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at)
    bars.push_back({(*at)[1], std::stod((*at)[2]), std::stod((*at)[3]), std::stod((*at)[4]),
                    std::stoll((*at)[5])});
  return bars;
}

void expect_sound(const Waterfall& waterfall) {
  const std::vector<DrawnBar> bars = bars_in(waterfall_markup(waterfall).str());
  ASSERT_EQ(bars.size(), waterfall.bars.size() + 2);
  EXPECT_EQ(bars.front().ns, waterfall.a_ns);
  EXPECT_EQ(bars.back().ns, waterfall.b_ns);
  std::int64_t at = bars.front().ns;
  double y = -20;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    EXPECT_GE(bars[i].y, y + 20) << "a row has room for its own text";
    EXPECT_GE(bars[i].x, 0);
    EXPECT_LE(bars[i].x + bars[i].width, 100.01);
    if (i > 0 && i + 1 < bars.size()) at += bars[i].ns;
    y = bars[i].y;
  }
  EXPECT_EQ(at, waterfall.b_ns) << "A's step and the parts sum to B's";
}

TEST(Waterfall, BarsSumFromOneStepToTheOther) {
  for (const Comparison& c : {samples::faster(), samples::several_runs()}) {
    const Waterfall waterfall = waterfall_of(c);
    EXPECT_GT(waterfall.bars.size(), 3U);
    expect_sound(waterfall);
  }
}

TEST(Waterfall, WhatGetsNoBarOfItsOwnIsOneTogether) {
  const Waterfall few = waterfall_of(samples::faster(), 2);
  ASSERT_EQ(few.bars.size(), 3U);
  EXPECT_THAT(few.bars.back().label, HasSubstr("smaller parts"));
  expect_sound(few);
}

// 100 parts of a line each a hundredth of what that line's cause costs.
TEST(Waterfall, BarsAreCoarserWhereTheRestWouldBeTheLargest) {
  Comparison c = samples::faster();
  const DeltaPart part = c.parts.front();
  c.parts.clear();
  for (std::uint32_t i = 0; i < 100; ++i) {
    c.parts.push_back(part);
    c.parts.back().line = i / 50;
    c.parts.back().delta_ns = c.delta_ns_total / 100;
    c.parts.back().group = i;
  }
  const Waterfall waterfall = waterfall_of(c);
  ASSERT_EQ(waterfall.bars.size(), 2U) << "one a line";
  expect_sound(waterfall);
}

TEST(Waterfall, SmallPartsOfALongStepAreDrawnFromAnotherBegin) {
  const Waterfall far{1'000'000, 1'010'000, 10, {{"a", "", 40'000}, {"b", "", -30'000}}};
  expect_sound(far);
  const std::string svg = waterfall_markup(far).str();
  EXPECT_THAT(svg, HasSubstr("class=\"torn\""));
  EXPECT_THAT(svg, HasSubstr("The bars begin at 99.0 us, not at 0."));
  const Waterfall halved{1'000'000, 400'000, 10, {{"a", "", -600'000}}};
  EXPECT_THAT(waterfall_markup(halved).str(), Not(HasSubstr("not at 0")));
}

TEST(Waterfall, HoldsForStepsWithoutDifferenceAndWithoutTime) {
  expect_sound({1'000, 1'000, 1, {}});
  expect_sound({0, 0, 0, {}});
  expect_sound({0, 500, 1, {{"a", "", 500}}});
  expect_sound({500, 0, 1, {{"a", "", -700}, {"b", "", 200}}});
}

TEST(Waterfall, NamesAreEscapedAndCut) {
  const Waterfall hostile{100, 90, 1, {{std::string(200, 'x') + "<\xff", "</title><script>", -10}}};
  const std::string svg = waterfall_markup(hostile).str();
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
  EXPECT_THAT(svg, HasSubstr(std::string(56, 'x') + "…<"));
}

// Returns where a column begins and ends, in percent of the width.
std::pair<double, double> column_in(const std::string& svg, const std::string& css) {
  const std::regex column("<svg class=\"" + css + "\" x=\"([0-9.]+)%?\" width=\"([0-9.]+)%\"");
  std::smatch found;
  if (!std::regex_search(svg, found, column)) return {0, 0};
  return {std::stod(found[1]), std::stod(found[1]) + std::stod(found[2])};
}

TEST(Waterfall, NoConnectorCanCrossALabel) {
  const std::string svg = waterfall_markup(waterfall_of(samples::faster())).str();
  const auto labels = column_in(svg, "labels");
  const auto bars = column_in(svg, "bars");
  EXPECT_GT(labels.second, labels.first);
  EXPECT_LE(labels.second, bars.first);
  EXPECT_LE(bars.second, 85) << "values stand right of them";
  const std::size_t begin = svg.find("<svg class=\"bars\"");
  const std::size_t end = svg.find("</svg>", begin);
  EXPECT_GT(svg.find("class=\"link\""), begin);
  EXPECT_LT(svg.rfind("class=\"link\""), end);
  EXPECT_GT(svg.find("class=\"value\""), end);
}

TEST(Waterfall, OfAPageItIsAsWideAsThePage) {
  const std::string svg = waterfall_markup(waterfall_of(samples::faster())).str();
  EXPECT_THAT(svg, HasSubstr("width=\"100%\""));
  EXPECT_THAT(svg, Not(HasSubstr("viewBox"))) << "letters would grow with it";
}

TEST(Waterfall, StandsAloneAsAFile) {
  const std::string svg = svg_waterfall(samples::faster());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(svg, HasSubstr("copy.h2d.pageable"));
}

TEST(Waterfall, SaysWhyThereIsNone) {
  const std::string svg = svg_waterfall(samples::unlike_devices());
  EXPECT_THAT(svg, HasSubstr("Not comparable"));
  EXPECT_THAT(svg, HasSubstr("A100"));
  EXPECT_TRUE(bars_in(svg).empty());
}

}  // namespace
}  // namespace stepscope
