// SPDX-License-Identifier: Apache-2.0
// The documents hold against the published schema, and their sums are exact, for random
// attributions and for the hand-made samples. Validation itself is Python's jsonschema:
// tests/reports/validate_json.py.
#include "reports/json/json_documents.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/core/attribution/random_attribution.hpp"
#include "tests/reports/sample_summaries.hpp"

namespace stepscope {
namespace {

int validate(const std::string& file) {
  const std::string root = STEPSCOPE_SOURCE_DIR;
  const std::string command = STEPSCOPE_PYTHON " " + root + "/tests/reports/validate_json.py " +
                              root + "/reports/schema " + file;
  return std::system(command.c_str());
}

std::string temporary(const std::string& name) {
  return testing::TempDir() + "stepscope_" + name;
}

TEST(JsonReport, RandomAttributionsGiveValidDocumentsThatSumExactly) {
  const std::string file = temporary("random.json");
  {
    std::ofstream out(file);
    std::vector<Summary> all;
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
      const RandomCase c = RandomAttribution(seed).make();
      const SummaryOptions options{
          .plain_step_ns = seed % 5 == 0 ? std::optional<std::int64_t>(200'000) : std::nullopt};
      all.push_back(summarize(c.trace, c.steps, c.attribution, options));
      out << json_report(all.back());
    }
    out << json_reports(all);
  }
  EXPECT_EQ(validate(file), 0);
}

TEST(JsonReport, TheValidatorRejectsAWrongDocument) {
  const RandomCase c = RandomAttribution(7).make();
  const auto good = nlohmann::json::parse(json_report(summarize(c.trace, c.steps, c.attribution)));
  std::ofstream(temporary("good.json")) << good.dump();
  ASSERT_EQ(validate(temporary("good.json")), 0);
  const auto rejects = [&](const char* what, auto damage) {
    auto bad = good;
    damage(bad);
    const std::string file = temporary("bad.json");
    std::ofstream(file) << bad.dump();
    EXPECT_NE(validate(file + " 2>/dev/null"), 0) << what;
  };
  ASSERT_FALSE(good["partition"]["parts"].empty());
  rejects("a missing field", [](auto& j) { j.erase("trust"); });
  rejects("a decimal total", [](auto& j) { j["partition"]["wall_ns_total"] = 1.5; });
  rejects("an unknown cause", [](auto& j) { j["partition"]["parts"][0]["cause"] = "gpu.magic"; });
  ASSERT_FALSE(good["collectives"].empty());
  rejects("a rate that is not bytes over time",
          [](auto& j) { j["collectives"][0]["bytes_per_second"] = 1; });
  rejects("a communicator as a number", [](auto& j) { j["collectives"][0]["communicator"] = 7; });
  rejects("a part that does not sum", [](auto& j) {
    j["partition"]["parts"][0]["ns_total"] =
        j["partition"]["parts"][0]["ns_total"].template get<int>() + 1;
  });
}

nlohmann::json parsed(const Summary& summary) {
  return nlohmann::json::parse(json_report(summary));
}

TEST(JsonReport, KeepsIntegersAndDerivesPerStepValues) {
  const auto j = parsed(samples::gpu());
  EXPECT_EQ(j["schema"], "stepscope.report/1");
  EXPECT_TRUE(j["partition"]["wall_ns_total"].is_number_integer());
  EXPECT_EQ(j["partition"]["wall_ns_total"], 382'000'000);
  EXPECT_EQ(j["partition"]["bound"], "device");
  EXPECT_EQ(j["phases"][3]["phase"], "eval");
  EXPECT_EQ(j["phases"][3]["wall_ns_per_step"], 50e6);
  EXPECT_EQ(j["phases"][3]["amortised_ns_per_step"], 5e6);
  EXPECT_EQ(j["phases"][1]["parent"], "topk");
  EXPECT_EQ(j["lines"][0]["evidence"][0], "d17");
  EXPECT_EQ(j["lines"][2]["line_kind"], "function");
  EXPECT_EQ(j["run"]["rank"], 0);
}

TEST(JsonReport, SaysWhatLongStepsHoldAndWarmUpTakes) {
  Summary summary = samples::gpu();
  EXPECT_EQ(parsed(summary)["steps"]["long_steps"]["steps"], 0);
  summary.long_steps = samples::long_steps();
  summary.steps.list[4].compile_ns = 17;
  const auto steps = parsed(summary)["steps"];
  EXPECT_EQ(steps["long_steps"]["ids"], (std::vector<int>{4, 9}));
  EXPECT_EQ(steps["long_steps"]["excess_ns_total"], 1'500'000'000);
  EXPECT_EQ(steps["long_steps"]["excess_by_cause"]["host.gc"], 1'440'000'000);
  EXPECT_EQ(steps["long_steps"]["excess"][0]["line"], 96);
  EXPECT_FALSE(steps["long_steps"]["excess"][1].contains("file"));
  EXPECT_EQ(steps["long_steps"]["left_out"], false);
  EXPECT_EQ(steps["warm_up"]["steps"], 2);
  EXPECT_EQ(steps["warm_up"]["wall_ns"], 76'400'000);
  EXPECT_EQ(steps["list"][4]["compile_ns"], 17);
  EXPECT_FALSE(steps["list"][5].contains("compile_ns"));
}

TEST(JsonReport, SaysWhatIsSent) {
  const auto j = parsed(samples::ranks());
  EXPECT_EQ(j["collectives"][0]["operation"], "AllReduce");
  EXPECT_EQ(j["collectives"][0]["communicator"], "0x0123456789abcdef");
  EXPECT_EQ(j["collectives"][0]["reduce"], "sum");
  EXPECT_EQ(j["collectives"][0]["bytes_total"], 24'000'000'000);
  EXPECT_NEAR(j["collectives"][0]["bytes_per_second"], 296.296e9, 1e6);
  EXPECT_EQ(j["collectives"][0]["late_ns_total"], 12'000'000);
  EXPECT_EQ(j["collectives"][0]["latest_rank"]["rank"], 5);
  EXPECT_FALSE(j["collectives"][1].contains("latest_rank"));
  EXPECT_FALSE(j["collectives"][1].contains("communicator"));
  EXPECT_FALSE(j["collectives"][1].contains("reduce"));
}

TEST(JsonReport, TheSchemaKnowsEveryCause) {
  std::ifstream file(STEPSCOPE_SOURCE_DIR "/reports/schema/report-1.schema.json");
  const auto schema = nlohmann::json::parse(file);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    names.emplace_back(name_of(static_cast<Cause>(i)));
  }
  EXPECT_EQ(schema["$defs"]["cause"]["enum"], names);
}

TEST(JsonReport, CopiesSayTheirRateAndKernelsNone) {
  const auto kernels = parsed(samples::gpu())["kernels"];
  EXPECT_EQ(kernels[3]["bytes_per_step"], 4'194'304);
  EXPECT_EQ(kernels[3]["bytes_per_second"], 5.52e9);
  EXPECT_FALSE(kernels[0].contains("bytes_per_second"));
}

TEST(JsonReport, DevicesWithoutSamplesAreLeftOutAndWhatIsNotKnownIsNull) {
  const auto one = parsed(samples::gpu())["device_health"];
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["sm_clock_mhz"]["median"], 1755);
  EXPECT_EQ(one[0]["clock_reasons"][1]["reason"], "power_cap");
  EXPECT_EQ(one[0]["memory_trend"], "growing");
  EXPECT_EQ(one[0]["memory_growth_bytes_per_step"], 1.2e6);
  EXPECT_EQ(one[0]["slow_steps"]["clock_ratio"], 0.91);
  const auto two = parsed(samples::two_devices())["device_health"];
  EXPECT_TRUE(two[0]["slow_steps"].is_null());
  EXPECT_TRUE(two[0]["highest_temperature_celsius"].is_null());
  EXPECT_TRUE(parsed(samples::cpu())["device_health"].empty());
}

TEST(JsonReport, TheSchemaKnowsEveryClockReasonAndTheSamplesAreValid) {
  std::ifstream file(STEPSCOPE_SOURCE_DIR "/reports/schema/report-1.schema.json");
  const auto health = nlohmann::json::parse(file)["properties"]["device_health"]["items"];
  std::vector<std::string> ids;
  for (const ClockReason& reason : kClockReasons) ids.emplace_back(reason.id);
  EXPECT_EQ(health["properties"]["clock_reasons"]["items"]["properties"]["reason"]["enum"], ids);
  const RandomCase c = RandomAttribution(3).make();
  Summary summary = summarize(c.trace, c.steps, c.attribution);
  summary.device_health = samples::two_devices().device_health;
  std::ofstream(temporary("health.json")) << json_report(summary);
  EXPECT_EQ(validate(temporary("health.json")), 0);
  auto bad = nlohmann::json::parse(json_report(summary));
  bad["device_health"][0]["memory_trend"] = "up";
  std::ofstream(temporary("bad_health.json")) << bad.dump();
  EXPECT_NE(validate(temporary("bad_health.json") + " 2>/dev/null"), 0);
}

TEST(JsonReport, ThroughputIsThereWhereItWasAskedFor) {
  const RandomCase c = RandomAttribution(3).make();
  EXPECT_FALSE(parsed(summarize(c.trace, c.steps, c.attribution)).contains("throughput"));
  const std::string text = json_report(
      summarize(c.trace, c.steps, c.attribution,
                {.flops = FlopOptions{.flops_per_step = 1e6, .peak_tflops = std::nullopt}}));
  std::ofstream(temporary("throughput.json")) << text;
  EXPECT_EQ(validate(temporary("throughput.json")), 0);
  const auto t = nlohmann::json::parse(text)["throughput"];
  EXPECT_EQ(t["flops_per_step"], 1e6);
  EXPECT_GT(t["tflops_per_device"], 0);
  EXPECT_TRUE(t["mfu"].is_null());
  EXPECT_EQ(t["peak_from"], "unknown");
}

TEST(JsonReport, SaysWhatSamplesHoldAndHowLongTheThreadWaitedForACore) {
  const RandomCase c = RandomAttribution(3).make();
  Summary summary = summarize(c.trace, c.steps, c.attribution);
  summary.trust.lines = {
      .wall_ns_total = 1000, .with_line_ns_total = 900, .sampled_ns_total = 300, .samples = 12};
  summary.trust.core_wait_share = 0.61;
  const std::string text = json_report(summary);
  std::ofstream(temporary("busy.json")) << text;
  EXPECT_EQ(validate(temporary("busy.json")), 0);
  const auto trust = nlohmann::json::parse(text)["trust"];
  EXPECT_EQ(trust["sampled_line_share"], 0.3);
  EXPECT_EQ(trust["samples"], 12);
  EXPECT_EQ(trust["core_wait_share"], 0.61);
}

TEST(JsonReport, LeavesOutWhatIsNotKnown) {
  const auto j = parsed(samples::one_step());
  EXPECT_FALSE(j["partition"].contains("plain_step_ns"));
  EXPECT_FALSE(j["run"].contains("rank"));
  EXPECT_TRUE(j["trust"]["link_rate"].is_null());
  Summary cut = samples::one_step();
  cut.steps.list[0].wall_known = false;
  EXPECT_TRUE(parsed(cut)["steps"]["list"][0]["wall_ns"].is_null());
}

TEST(JsonReport, NamesThatAreNoUtf8AreReplaced) {
  Summary s = samples::gpu();
  s.kernels[0].name = "bad \xff\xfe name";
  EXPECT_EQ(parsed(s)["kernels"][0]["name"], "bad \xef\xbf\xbd\xef\xbf\xbd name");
}

}  // namespace
}  // namespace stepscope
