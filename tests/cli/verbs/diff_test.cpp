// SPDX-License-Identifier: Apache-2.0
// The diff verb from the outside: two real traces, their reports in their place, and bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_stepscope.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;

const std::string kBad = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.bad.json.gz";
const std::string kFixed = STEPSCOPE_SOURCE_DIR "/tests/data/kineto/sync_mask_norms.fixed.json.gz";

TEST(DiffVerb, ShowsThePartsBetweenTwoTraces) {
  const RunOutcome run = run_stepscope("diff " + kBad + " " + kFixed);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* part : {"A's step", "= B's step", "left over: 0 ns", "By cause", "Work a step"})
    EXPECT_THAT(run.out, HasSubstr(part));
}

TEST(DiffVerb, ReportsStandForTheirTraces) {
  const Folder folder;
  for (const auto& [trace, name] : {std::pair(kBad, "a.json"), std::pair(kFixed, "b.json")})
    ASSERT_EQ(run_stepscope("report " + trace + " --format json -o " + folder.at(name)).status, 0);
  const RunOutcome traces = run_stepscope("diff --format json " + kBad + " " + kFixed);
  const RunOutcome reports =
      run_stepscope("diff --format json " + folder.at("a.json") + " " + folder.at("b.json"));
  EXPECT_EQ(reports.status, 0) << reports.err;
  EXPECT_EQ(traces.out, reports.out);
  EXPECT_LT(nlohmann::json::parse(reports.out)["delta_ns_total"], 0);
}

TEST(DiffVerb, WritesAPageMarkdownAndAPicture) {
  const Folder folder;
  const std::string sides = kBad + " " + kFixed;
  const std::string page = folder.at("diff.html");
  EXPECT_EQ(run_stepscope("diff --format html -o " + page + " " + sides).status, 0);
  const std::string validate =
      STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR "/tests/reports/validate_html.py ";
  EXPECT_EQ(std::system((validate + page).c_str()), 0);
  EXPECT_THAT(run_stepscope("diff --format markdown " + sides).out, HasSubstr("left over: 0 ns"));
  EXPECT_TRUE(run_stepscope("diff --format svg " + sides).out.starts_with("<svg "));
}

TEST(DiffVerb, SeveralRunsASideGiveARange) {
  const RunOutcome run = run_stepscope("diff --format json --baseline " + kBad + " " + kBad +
                                       " --candidate " + kFixed + " " + kFixed);
  EXPECT_EQ(run.status, 0) << run.err;
  const auto document = nlohmann::json::parse(run.out);
  EXPECT_EQ(document["a"]["runs"], 2);
  EXPECT_EQ(document["range_ns_per_step"].size(), 2U);
}

TEST(DiffVerb, RunsOfUnlikeWorkAreRefusedWithThree) {
  const Folder folder;
  ASSERT_EQ(run_stepscope("report " + kFixed + " --format json -o " + folder.at("b.json")).status,
            0);
  auto other = nlohmann::json::parse(read_file(folder.at("b.json")));
  other["run"]["device"] = "NVIDIA A100-SXM4-80GB";
  write_file(folder.at("b.json"), other.dump());
  const std::string sides = kBad + " " + folder.at("b.json");
  const RunOutcome refused = run_stepscope("diff " + sides);
  EXPECT_EQ(refused.status, 3);
  EXPECT_THAT(refused.out, HasSubstr("NOT COMPARABLE"));
  EXPECT_THAT(refused.err, HasSubstr("--anyway shows the tables"));
  const RunOutcome anyway = run_stepscope("diff --anyway " + sides);
  EXPECT_EQ(anyway.status, 0);
  EXPECT_THAT(anyway.out, HasSubstr("= B's step"));
}

TEST(DiffVerb, BadInputIsNamed) {
  const Folder folder;
  write_file(folder.at("broken.json"), "{\"schema\": \"stepscope.report/1\"");
  const RunOutcome broken = run_stepscope("diff " + kBad + " " + folder.at("broken.json"));
  EXPECT_EQ(broken.status, 4);
  EXPECT_THAT(broken.err, HasSubstr("broken.json"));
  EXPECT_EQ(run_stepscope("diff " + kBad + " " + folder.at("absent.scope")).status, 4);
  EXPECT_EQ(run_stepscope("diff " + kBad).status, 2);
  EXPECT_THAT(run_stepscope("diff --baseline " + kBad).err, HasSubstr("--candidate is missing"));
  EXPECT_EQ(run_stepscope("diff " + kBad + " --baseline " + kBad).status, 2);
  for (const char* samples : {"32", "0,64", "a,b", "32,64x", "nan,1"})
    EXPECT_EQ(
        run_stepscope("diff --samples " + std::string(samples) + " " + kBad + " " + kFixed).status,
        2)
        << samples;
}

}  // namespace
}  // namespace stepscope
