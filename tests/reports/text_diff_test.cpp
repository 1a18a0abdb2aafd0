// SPDX-License-Identifier: Apache-2.0
// Golden screens of comparisons; STEPSCOPE_UPDATE_GOLDEN=1 writes them anew.
#include "reports/text/text_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/core/compare/sample_sides.hpp"
#include "tests/reports/sample_comparisons.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

void expect_diff_golden(const std::string& name, const std::string& text) {
  const std::string path =
      std::string(STEPSCOPE_SOURCE_DIR) + "/tests/reports/golden/" + name + ".txt";
  if (std::getenv("STEPSCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, golden.str()) << "see " << path;
}

TEST(TextDiff, ReadsAsTheGoldenTexts) {
  const Style style{.colour = false, .unicode = true};
  expect_diff_golden("diff_faster", text_diff(samples::faster(), style));
  expect_diff_golden("diff_several_runs", text_diff(samples::several_runs(), style));
  expect_diff_golden("diff_not_comparable", text_diff(samples::unlike_devices(), style));
}

TEST(TextDiff, SaysThatPairsOfRunsDisagree) {
  const Style style{.colour = false, .unicode = true};
  const char* doubt = "other pairs of these runs differ the other way round";
  Comparison runs = samples::several_runs();
  EXPECT_THAT(text_diff(runs, style), testing::Not(HasSubstr(doubt)));
  runs.range_ns_per_step = {-3.5e6, 0.4e6};
  EXPECT_THAT(text_diff(runs, style), HasSubstr(doubt));
}

TEST(TextDiff, FitsTheScreen) {
  std::istringstream text(text_diff(samples::faster(), {.colour = false, .unicode = true}));
  for (std::string line; std::getline(text, line);) EXPECT_LE(columns_of(line), 100U) << line;
}

TEST(TextDiff, TheSameRunIsCalledTheSame) {
  const Summary run = side_of_cells({{.ns = 1'000'000, .calls = 10}});
  const std::string text = text_diff(compare(run, run), {});
  EXPECT_THAT(text, HasSubstr("the same"));
  EXPECT_THAT(text, HasSubstr("left over: 0 ns"));
}

TEST(TextDiff, ASideWithoutStepsSaysSoInPlaceOfAStep) {
  const Summary run = side_of_cells({{.ns = 1'000'000, .calls = 10}});
  Summary whole = run;
  whole.steps.found_by = FoundBy::whole_trace;
  whole.partition.p50_ns = 833'000'000;
  const std::string text = text_diff(compare(run, whole), {});
  EXPECT_THAT(text, HasSubstr("no steps were found in 833 ms"));
  EXPECT_THAT(text, testing::Not(HasSubstr("1 step, p50 833 ms")));
}

TEST(TextDiff, ADifferenceWithinWhatStepsVaryByAsksForMoreRuns) {
  const auto text_of = [](std::int64_t p90_ns) {
    const Summary before = side_of_cells({{.ns = 1'000'000, .calls = 10}});
    Summary after = side_of_cells({{.ns = 1'100'000, .calls = 10}});  // 10 us a step more
    after.partition.p50_ns = 100'000;
    after.partition.p90_ns = p90_ns;
    return text_diff(compare(before, after), {});
  };
  EXPECT_THAT(text_of(120'000), HasSubstr("the steps of B differ by more than the two runs (p50 "
                                          "100 us, p90 120 us)"));
  EXPECT_THAT(text_of(105'000), testing::Not(HasSubstr("differ by more")));
}

TEST(TextDiff, WhatCannotBeComparedShowsNoTableUnlessAsked) {
  const std::string refused = text_diff(samples::unlike_devices(), {});
  EXPECT_THAT(refused, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(refused, testing::Not(HasSubstr("A's step")));
  Comparison anyway = samples::unlike_devices();
  anyway.anyway = true;
  EXPECT_THAT(text_diff(anyway, {}), HasSubstr("A's step"));
}

}  // namespace
}  // namespace stepscope
