// SPDX-License-Identifier: Apache-2.0
// A verdict as text and as JSON: the numbers of the structs, and a document that its schema allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/report/wording/gate.hpp"
#include "reports/json/json_documents.hpp"
#include "reports/text/text_pages.hpp"
#include "tests/reports/sample_verdicts.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

int validate_gate(const std::string& text) {
  const std::string file = testing::TempDir() + "stepscope_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::ofstream(file) << text;
  const std::string root = STEPSCOPE_SOURCE_DIR;
  const std::string command = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_gate.py " +
                              root + "/reports/schema " + file + " 2>/dev/null";
  return std::system(command.c_str());
}

TEST(GateText, SaysWhatFailedWhereAndByHowMuch) {
  const std::string text = text_gate(samples::regression(), {});
  EXPECT_THAT(text, testing::StartsWith("REGRESSION  step_time, host_syncs"));
  EXPECT_THAT(text, HasSubstr("+7.2 % to +7.8 %"));
  EXPECT_THAT(text, HasSubstr("host_syncs: 2 a step, was 1 (+100.0 %)"));
  EXPECT_THAT(text, HasSubstr("train.py:30 in step: cudaStreamSynchronize (host.sync_return, phase "
                              "forward), +100 us a\n         step, +1 call"));
  EXPECT_THAT(text, HasSubstr("Not judged: allocations: was not recorded"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(GateText, AVerdictThatIsOpenSaysWhatIsMissing) {
  EXPECT_THAT(gate_summary(samples::open_verdict()),
              HasSubstr("step_time: one run a side: the noise is not known; 4 more runs a side"));
  const std::string other = text_gate(samples::not_comparable(), {});
  EXPECT_THAT(other, testing::StartsWith("NOT COMPARABLE  A ran on NVIDIA H100"));
  EXPECT_THAT(text_gate(samples::passing(), {}), testing::StartsWith("PASS  "));
}

TEST(GateText, EachInconclusiveMetricHasItsOwnReason) {
  GateVerdict verdict;
  for (const auto& [name, why] : {std::pair("kernels", "more a step, within the doubt"),
                                  std::pair("launches", "more a step, within the doubt"),
                                  std::pair("step_time", "one run a side")})
    verdict.metrics.push_back({.name = name, .outcome = Outcome::inconclusive, .why = why});
  const std::string text = text_gate(verdict, {});
  EXPECT_THAT(text, HasSubstr("kernels, launches: more a step, within the doubt; step_time: one"));
}

TEST(GateText, WhatWasNotRecordedIsNoZero) {
  const GateVerdict verdict = samples::passing();
  const auto document = nlohmann::json::parse(json_gate(verdict));
  for (const auto& metric : document["metrics"])
    EXPECT_EQ(metric["baseline"].is_null(), metric["name"] == "allocations") << metric;
  const auto metric = std::find_if(verdict.metrics.begin(), verdict.metrics.end(),
                                   [](const MetricResult& m) { return m.name == "allocations"; });
  ASSERT_NE(metric, verdict.metrics.end());
  EXPECT_EQ(metric_sentence(*metric), "allocations: was not recorded in every run of the baseline");
}

TEST(GateText, EveryLineFitsTheScreen) {
  for (const GateVerdict& verdict : samples::all_verdicts()) {
    std::istringstream lines(text_gate(verdict, {}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), 100U) << line;
  }
}

TEST(GateJson, IsWhatItsSchemaAllows) {
  for (const GateVerdict& verdict : samples::all_verdicts())
    EXPECT_EQ(validate_gate(json_gate(verdict)), 0) << json_gate(verdict);
}

TEST(GateJson, TheSchemaRejectsWhatIsNotAVerdict) {
  const auto rejects = [](auto damage) {
    auto json = nlohmann::json::parse(json_gate(samples::regression()));
    damage(json);
    return validate_gate(json.dump()) != 0;
  };
  EXPECT_FALSE(rejects([](auto&) {}));
  EXPECT_TRUE(rejects([](auto& json) { json["verdict"] = "fine"; }));
  EXPECT_TRUE(rejects([](auto& json) { json.erase("metrics"); }));
  EXPECT_TRUE(rejects([](auto& json) { json["metrics"][0].erase("baseline"); }));
  EXPECT_TRUE(rejects([](auto& json) { json["metrics"][0]["ratio"] = nullptr; }));
  EXPECT_TRUE(rejects([](auto& json) { json["verdict"] = "pass"; })) << "a metric is a regression";
}

TEST(GateJson, NamesTheCauseAndWhatIsMissing) {
  const auto json = nlohmann::json::parse(json_gate(samples::regression()));
  EXPECT_EQ(json["verdict"], "regression");
  EXPECT_EQ(json["metrics"][0]["causes"][0]["line"], 10);
  const auto open = nlohmann::json::parse(json_gate(samples::open_verdict()));
  EXPECT_EQ(open["more_runs_needed"], 4);
  const auto other = nlohmann::json::parse(json_gate(samples::not_comparable()));
  EXPECT_FALSE(other["comparable"].get<bool>());
  EXPECT_EQ(other["verdict"], "inconclusive");
}

}  // namespace
}  // namespace stepscope
