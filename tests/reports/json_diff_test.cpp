// SPDX-License-Identifier: Apache-2.0
// The diff's document is valid, sums exactly, and is the same from two runs and from their reports.
#include "reports/json/json_documents.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/summary/document/document.hpp"
#include "tests/core/attribution/random_attribution.hpp"
#include "tests/reports/sample_comparisons.hpp"

namespace stepscope {
namespace {

int validate_diff(const std::string& text) {
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string file = testing::TempDir() + "stepscope_diff_" + test + ".json";
  std::ofstream(file) << text;
  const std::string root = STEPSCOPE_SOURCE_DIR;
  const std::string command = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_json.py " +
                              root + "/reports/schema " + file + " >/dev/null 2>&1";
  return std::system(command.c_str());
}

TEST(JsonDiff, IsValidAndSums) {
  for (const Comparison& c :
       {samples::faster(), samples::several_runs(), samples::unlike_devices()})
    EXPECT_EQ(validate_diff(json_diff(c)), 0) << json_diff(c);
}

TEST(JsonDiff, TheValidatorSeesABrokenSum) {
  auto document = nlohmann::json::parse(json_diff(samples::faster()));
  ASSERT_EQ(validate_diff(document.dump()), 0);
  auto& delta = document["parts"][0]["delta_ns_total"];
  delta = delta.get<std::int64_t>() + 1;
  EXPECT_NE(validate_diff(document.dump()), 0);
}

TEST(JsonDiff, HoldsNoTableOfWhatCannotBeCompared) {
  const auto document = nlohmann::json::parse(json_diff(samples::unlike_devices()));
  EXPECT_FALSE(document["comparable"]);
  EXPECT_TRUE(document["parts"].empty());
  EXPECT_EQ(document["why_not"].size(), 2U);
}

TEST(JsonDiff, OfTwoRunsIsThatOfTheirReports) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const auto summary = [](std::uint32_t of) {
      const RandomCase c = RandomAttribution(of).make();
      return summarize(c.trace, c.steps, c.attribution);
    };
    const Summary a = summary(seed);
    const Summary b = summary(seed + 500);
    const auto read_a = parse_report_document(json_report(a));
    const auto read_b = parse_report_document(json_report(b));
    ASSERT_TRUE(read_a.ok() && read_b.ok());
    const CompareOptions options{.anyway = true};
    EXPECT_EQ(json_diff(compare(a, b, options)), json_diff(compare(*read_a, *read_b, options)));
  }
}

}  // namespace
}  // namespace stepscope
