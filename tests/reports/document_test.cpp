// SPDX-License-Identifier: Apache-2.0
// A report's document read back gives the sums that were written, and nothing unsound is read.
#include "core/summary/document/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "reports/json/json_documents.hpp"
#include "reports/text/text_pages.hpp"
#include "tests/core/attribution/random_attribution.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

TEST(ReportDocument, GivesBackTheSumsOfRandomReports) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const RandomCase c = RandomAttribution(seed).make();
    Summary written = summarize(c.trace, c.steps, c.attribution);
    written.sources = {{"train.py", {1, 0, 0xffffffffU}, {{3, "x = \"δ\""}}}};
    const Result<Summary> read = parse_report_document(json_report(written));
    ASSERT_TRUE(read.ok()) << "seed " << seed << ": " << read.error().message;
    EXPECT_EQ(read->partition.wall_ns_total, written.partition.wall_ns_total);
    EXPECT_EQ(read->partition.p50_ns, written.partition.p50_ns);
    EXPECT_EQ(read->counted, written.counted);
    ASSERT_EQ(read->cells.size(), written.cells.size());
    for (std::size_t i = 0; i < written.cells.size(); ++i) {
      EXPECT_EQ(read->cells[i].cause, written.cells[i].cause);
      EXPECT_EQ(read->cells[i].phase_path, written.cells[i].phase_path);
      EXPECT_EQ(read->cells[i].line, written.cells[i].line);
      EXPECT_EQ(read->cells[i].operation, written.cells[i].operation);
      EXPECT_EQ(read->cells[i].ns_total, written.cells[i].ns_total);
      EXPECT_EQ(read->cells[i].calls_total, written.cells[i].calls_total);
    }
    ASSERT_EQ(read->step_parts, written.step_parts);
    EXPECT_EQ(read->long_steps.rows, written.long_steps.rows);
    EXPECT_EQ(read->long_steps.loop_ns_total, written.long_steps.loop_ns_total);
    EXPECT_EQ(read->long_steps.excess_by_cause(), written.long_steps.excess_by_cause());
    ASSERT_EQ(read->counts.size(), written.counts.size());
    for (std::size_t i = 0; i < written.counts.size(); ++i)
      EXPECT_EQ(read->counts[i].places, written.counts[i].places);
    EXPECT_EQ(read->sources, written.sources);
    ASSERT_EQ(read->phases.size(), written.phases.size());
  }
}

// Members of an object have no order.
void expect_inverse(const Summary& written) {
  const Result<Summary> read = parse_report_document(json_report(written));
  ASSERT_TRUE(read.ok()) << written.run.path << ": " << read.error().message;
  EXPECT_EQ(nlohmann::json::parse(json_report(*read)), nlohmann::json::parse(json_report(written)));
}

TEST(ReportDocument, WhatIsReadIsWrittenAsItWas) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const RandomCase c = RandomAttribution(seed).make();
    expect_inverse(summarize(c.trace, c.steps, c.attribution));
  }
  for (const auto& make : {samples::gpu, samples::with_findings, samples::cpu, samples::inflated,
                           samples::two_devices, samples::ranks, samples::two_loops}) {
    Summary written = make();
    written.cells = {
        {Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
    written.device_health.resize(std::min<std::size_t>(1, written.device_health.size()));
    written.trust.overhead = Overhead{1.064, 1.059, 1.07, 40};
    written.trust.lines = {written.partition.wall_ns_total, written.partition.wall_ns_total / 3, 7};
    written.trust.lines.without[3] = 11;
    expect_inverse(written);
  }
}

TEST(ReportDocument, AReportOfItSaysWhatTheTracesReportSays) {
  for (const auto& make : {samples::gpu, samples::with_findings, samples::ranks}) {
    Summary written = make();
    written.cells = {
        {Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
    const Result<Summary> read = parse_report_document(json_report(written));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(text_report(*read, {}), text_report(written, {}));
  }
}

TEST(ReportDocument, GivesBackFindings) {
  Summary written = samples::with_findings();
  written.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
  const Result<Summary> read = parse_report_document(json_report(written));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read->findings.has_value());
  const Findings& back = *read->findings;
  ASSERT_EQ(back.found.size(), 2U);
  const Finding& sync = back.found[0];
  EXPECT_EQ(sync.id, "host_sync");
  EXPECT_EQ(sync.severity, Severity::high);
  EXPECT_EQ(sync.certainty, Certainty::inferred);
  EXPECT_EQ(sync.places[0].line, 120U);
  EXPECT_EQ(sync.shows_as, written.findings->found[0].shows_as);
  ASSERT_TRUE(sync.forecast.has_value());
  EXPECT_EQ(sync.forecast->high_ns_per_step, 36e6);
  EXPECT_EQ(sync.evidence, (std::vector<std::string>{"h12", "d90"}));
  ASSERT_EQ(sync.events.size(), 2U);
  EXPECT_EQ(sync.events[0].name, "aten::item");
  EXPECT_EQ(sync.events[0].ns, 3'100'000);
  EXPECT_EQ(sync.events[0].step, 7);
  EXPECT_FALSE(sync.events[1].step);
  EXPECT_EQ(back.found[1].places[0].kind, SiteKind::function);
  EXPECT_FALSE(back.found[1].forecast.has_value());
  ASSERT_EQ(back.no_gain.size(), 1U);
  EXPECT_EQ(back.no_gain[0].no_gain, "the host is what the step waits for");
  EXPECT_EQ(back.cleared.size(), 2U);
  EXPECT_EQ(back.abstained.size(), 2U);
  EXPECT_EQ(back.caution, "one step was counted");
}

TEST(ReportDocument, KnowsThatNobodyLookedForFindings) {
  Summary written = samples::gpu();
  written.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
  const Result<Summary> read = parse_report_document(json_report(written));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_FALSE(read->findings.has_value());
}

TEST(ReportDocument, GivesBackWarmUpAndTheTrimmedView) {
  Summary written = samples::gpu();
  written.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
  written.long_steps = samples::long_steps();
  written.long_steps.left_out = true;
  written.steps.list[3].compile_ns = 5;
  const Result<Summary> read = parse_report_document(json_report(written));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->long_steps.left_out);
  EXPECT_EQ(read->long_steps.excess[0].line, 96U);
  EXPECT_EQ(read->long_steps.excess[2].ns_total, -15'000'000);
  EXPECT_EQ(read->steps.warm_up.steps, 2U);
  EXPECT_EQ(read->steps.warm_up.why, written.steps.warm_up.why);
  EXPECT_EQ(read->steps.list[3].compile_ns, 5);
}

TEST(ReportDocument, OneThatLeftOutliersOutIsATrimmedView) {
  Summary written = samples::gpu();
  written.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
  nlohmann::json document = nlohmann::json::parse(json_report(written));
  document["steps"].erase("long_steps");
  document["steps"]["outliers"] = {{"steps", 3}, {"wall_ns_total", 90}, {"share", 0.1}};
  const Result<Summary> read = parse_report_document(document.dump());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->long_steps.left_out);
  EXPECT_EQ(read->long_steps.loop_ns_total, written.partition.wall_ns_total + 90);
}

TEST(ReportDocument, LongStepsMustSumAndBeOfTheList) {
  Summary written = samples::gpu();
  written.cells = {{Cause::unknown, "", "", "", 0, std::nullopt, written.partition.wall_ns_total}};
  written.long_steps = samples::long_steps();
  const auto rejects = [&](auto damage) {
    nlohmann::json document = nlohmann::json::parse(json_report(written));
    damage(document["steps"]);
    const Result<Summary> read = parse_report_document(document.dump());
    return read.ok() ? "it was read" : read.error().message;
  };
  EXPECT_THAT(rejects([](auto& s) { s["long_steps"]["excess"][0]["ns_total"] = 1; }),
              HasSubstr("steps.long_steps.excess: sum to"));
  EXPECT_THAT(rejects([](auto& s) { s["long_steps"]["ids"][1] = 99; }),
              HasSubstr("steps.long_steps.ids[1]: is 99, which is no step"));
  EXPECT_THAT(rejects([](auto& s) { s["long_steps"]["ids"] = {4}; }),
              HasSubstr("names 1 steps, but `steps` is 2"));
  EXPECT_THAT(rejects([](auto& s) { s["warm_up"]["steps"] = 99; }),
              HasSubstr("steps.warm_up.steps: is more than"));
}

nlohmann::json sound() {
  const RandomCase c = RandomAttribution(7).make();
  return nlohmann::json::parse(json_report(summarize(c.trace, c.steps, c.attribution)));
}

std::string message_of(const nlohmann::json& document) {
  const Result<Summary> read = parse_report_document(document.dump());
  return read.ok() ? "it was read" : read.error().message;
}

TEST(ReportDocument, NamesTheFieldThatIsUnsound) {
  const auto rejects = [](auto damage) {
    nlohmann::json document = sound();
    damage(document);
    return message_of(document);
  };
  EXPECT_EQ(message_of(sound()), "it was read");
  EXPECT_EQ(rejects([](auto& d) { d.erase("cells"); }), "cells: is missing");
  EXPECT_EQ(rejects([](auto& d) { d["cells"][1]["ns_total"] = 1.5; }),
            "cells[1].ns_total: must be an integer");
  EXPECT_EQ(rejects([](auto& d) { d["cells"][1]["ns_total"] = -1; }),
            "cells[1].ns_total: must not be negative");
  EXPECT_THAT(rejects([](auto& d) {
                d["cells"][0]["ns_total"] = d["cells"][0]["ns_total"].template get<int>() + 1;
              }),
              HasSubstr("cells: sum to "));
  EXPECT_THAT(rejects([](auto& d) {
                auto& part = d["partition"]["parts"][0]["ns_total"];
                part = part.template get<int>() + 1;
              }),
              HasSubstr("partition.parts: sum to "));
  EXPECT_EQ(rejects([](auto& d) { d["cells"][0]["cause"] = "gpu.magic"; }),
            "cells[0].cause: 'gpu.magic' is no cause that this version knows");
  EXPECT_THAT(rejects([](auto& d) { d["cells"][0]["operation"] = 100'000; }),
              HasSubstr("cells[0].operation: is 100000, but `operations` has"));
  EXPECT_EQ(rejects([](auto& d) { d["partition"]["p50_ns"] = nullptr; }),
            "partition.p50_ns: must be an integer");
  EXPECT_THAT(rejects([](auto& d) { d["steps"]["list"][0]["counted"] = "yes"; }),
              HasSubstr("steps.list[0].counted: must be true or false"));
}

// Sums that go round must not meet the right one.
TEST(ReportDocument, TimesThatNoRunCanHaveAreRefused) {
  static constexpr std::int64_t kMost = std::int64_t{1} << 61U;
  const auto rejects = [](auto damage) {
    nlohmann::json document = sound();
    damage(document);
    return message_of(document);
  };
  EXPECT_EQ(rejects([](auto& d) { d["cells"][0]["ns_total"] = kMost + 1; }),
            "cells[0].ns_total: is no time that a run can have");
  EXPECT_EQ(rejects([](auto& d) { d["steps"]["list"][0]["begin_ns"] = -kMost - 1; }),
            "steps.list[0].begin_ns: is no time that a run can have");
  const auto add_eight = [](nlohmann::json& rows, const char* what) {
    nlohmann::json row = rows[0];
    row[what] = kMost;
    for (int i = 0; i < 8; ++i) rows.push_back(row);
  };
  EXPECT_EQ(rejects([&](auto& d) { add_eight(d["cells"], "ns_total"); }),
            "cells: sum to more than a time can be");
  EXPECT_EQ(rejects([&](auto& d) { add_eight(d["partition"]["parts"], "ns_total"); }),
            "partition.parts: sum to more than a time can be");
  EXPECT_EQ(rejects([](auto& d) { d["run"]["rank"] = std::int64_t{1} << 32U; }),
            "run.rank: is no rank");
}

TEST(ReportDocument, OtherVersionsAndDocumentsAreNotGuessedAt) {
  nlohmann::json document = sound();
  document["schema"] = "stepscope.report/2";
  const auto newer = parse_report_document(document.dump());
  ASSERT_FALSE(newer.ok());
  EXPECT_EQ(newer.error().code, ErrorCode::unsupported);
  EXPECT_THAT(newer.error().message, HasSubstr("this version reads 'stepscope.report/1'"));
  const auto several = parse_report_document(json_reports({samples::gpu()}));
  ASSERT_FALSE(several.ok());
  EXPECT_THAT(several.error().message, HasSubstr("holds several reports"));
}

TEST(ReportDocument, ACutOffDocumentIsAnErrorAtEveryLength) {
  const std::string text = sound().dump();
  for (std::size_t length = 0; length < text.size(); length += 97)
    EXPECT_FALSE(parse_report_document(text.substr(0, length)).ok()) << length;
}

TEST(ReportDocument, IsToldApartFromATraceByItsBeginning) {
  EXPECT_TRUE(looks_like_report_document("{\n \"schema\": \"stepscope.report/1\","));
  EXPECT_FALSE(looks_like_report_document("{\"schemaVersion\": 1, \"traceEvents\": ["));
  EXPECT_FALSE(looks_like_report_document("{\"schema\": \"other/1\"}"));
  EXPECT_FALSE(looks_like_report_document(""));
  EXPECT_FALSE(looks_like_report_document("{"));
}

}  // namespace
}  // namespace stepscope
