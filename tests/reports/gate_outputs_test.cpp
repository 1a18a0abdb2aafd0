// SPDX-License-Identifier: Apache-2.0
// What a CI reads: each output of every kind of verdict, and of findings, is valid, says what
// failed, and stays valid whatever the traced program's names are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/report/wording/gate.hpp"
#include "core/report/wording/shown_path.hpp"
#include "reports/github/github_commands.hpp"
#include "reports/junit/junit_gate.hpp"
#include "reports/markdown/markdown_pages.hpp"
#include "reports/sarif/sarif_logs.hpp"
#include "tests/reports/sample_summaries.hpp"
#include "tests/reports/sample_verdicts.hpp"

namespace stepscope {
namespace {

using testing::HasSubstr;
using testing::Not;

bool is_valid_output(const char* kind, const std::string& text) {
  const std::string file = testing::TempDir() + "stepscope_output_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(file) << text;
  const std::string command = STEPSCOPE_PYTHON " " STEPSCOPE_SOURCE_DIR
                                               "/tests/reports/validate_outputs.py " +
                              std::string(kind) + " " + file + " 2>/dev/null";
  return std::system(command.c_str()) == 0;
}

// Names of a program that means no good, or was garbled.
GateVerdict hostile() {
  GateVerdict out = samples::regression();
  const std::string name = "a&b<script>\"'|`@x\n::error::%:,\x01\xff]]>" + std::string(70'000, '<');
  out.warnings = {name};
  out.baseline[0].path = name;
  for (MetricResult& metric : out.metrics) {
    for (MetricCause& cause : metric.causes)
      cause.file = cause.function = cause.operation = cause.phase = name;
  }
  out.metrics[0].why = name;
  return out;
}

GateVerdict with_many(std::size_t regressions) {
  GateVerdict out = samples::regression();
  const MetricResult first = out.metrics.front();
  for (std::size_t i = 0; i < regressions; ++i) {
    out.metrics.push_back(first);
    out.metrics.back().name = "phase:p" + std::to_string(i);
  }
  return out;
}

std::vector<GateVerdict> verdicts() {
  std::vector<GateVerdict> out = samples::all_verdicts();
  out.push_back(hostile());
  out.push_back(with_many(200));
  return out;
}

TEST(GateOutputs, EveryVerdictIsValid) {
  for (const GateVerdict& verdict : verdicts()) {
    const std::string which(name_of(verdict.outcome));
    EXPECT_TRUE(is_valid_output("sarif", sarif_gate(verdict))) << which;
    EXPECT_TRUE(is_valid_output("junit", junit_gate(verdict))) << which;
    EXPECT_TRUE(is_valid_output("junit", junit_gate(verdict, true))) << which;
    EXPECT_TRUE(is_valid_output("github", github_annotations(verdict)))
        << github_annotations(verdict).substr(0, 3000);
    EXPECT_TRUE(is_valid_output("markdown", markdown_gate(verdict)))
        << markdown_gate(verdict).substr(0, 3000);
  }
}

TEST(GateOutputs, TheValidatorsRejectWhatIsWrong) {
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::string junit = junit_gate(samples::regression());
  EXPECT_FALSE(is_valid_output("junit", changed(junit, "failures=\"2\"", "failures=\"1\"")));
  EXPECT_FALSE(is_valid_output("junit", changed(junit, "</testsuites>", "")));
  EXPECT_FALSE(is_valid_output("junit", changed(junit, " type=\"regression\"", "")));
  const std::string sarif = sarif_gate(samples::regression());
  EXPECT_FALSE(is_valid_output("sarif", changed(sarif, "\"2.1.0\"", "\"2.0.0\"")));
  EXPECT_FALSE(is_valid_output("sarif", changed(sarif, "\"ruleIndex\": 0", "\"ruleIndex\": 1")));
  EXPECT_FALSE(is_valid_output("sarif", changed(sarif, "\"startLine\": 10", "\"startLine\": 0")));
  EXPECT_FALSE(is_valid_output("github", "step_time is slower\n"));
  EXPECT_FALSE(is_valid_output("markdown", "<script>"));
}

TEST(GateOutputs, JunitHasOneCaseAMetric) {
  const std::string text = junit_gate(samples::regression());
  EXPECT_THAT(text, HasSubstr("tests=\"5\" failures=\"2\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("<testcase name=\"host_syncs\" classname=\"stepscope.gate.count\""));
  const std::string open = junit_gate(samples::open_verdict());
  EXPECT_THAT(open, HasSubstr("<error message=\"step_time: 40.0 ms a step"));
  EXPECT_THAT(junit_gate(samples::open_verdict(), true), Not(HasSubstr("<error")));
  EXPECT_THAT(junit_gate(samples::not_comparable(), true), HasSubstr("type=\"not_comparable\""))
      << "what cannot be compared never passes";
}

TEST(GateOutputs, ACauseIsNamedFromTheFolderOfTheRun) {
  MetricCause cause;
  cause.file = "/home/me/proj/src/train.py";
  cause.line = 30;
  cause.folder = "/home/me/proj";
  EXPECT_THAT(cause_sentence(cause), testing::StartsWith("src/train.py:30: "));
}

TEST(GateOutputs, SarifPointsAtTheLineOfTheLargestCause) {
  GateVerdict verdict = samples::regression();
  for (MetricResult& metric : verdict.metrics)
    for (MetricCause& cause : metric.causes) cause.file = "/home/me/repo/src/" + cause.file;
  const auto log = nlohmann::json::parse(sarif_gate(verdict, "/home/me/repo/"));
  const auto& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), 2U);
  const auto& place = results[0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/train.py");
  EXPECT_EQ(place["region"]["startLine"], 10);
  for (MetricResult& metric : verdict.metrics) metric.causes.clear();
  const auto bare = nlohmann::json::parse(sarif_gate(verdict));
  EXPECT_TRUE(bare["runs"][0]["results"].empty());
  EXPECT_EQ(bare["runs"][0]["invocations"][0]["toolExecutionNotifications"].size(), 2U);
}

TEST(GateOutputs, SarifHasOneRuleForTwoBudgetsOfAMetric) {
  GateVerdict verdict = samples::regression();
  verdict.metrics.push_back(verdict.metrics.front());
  const auto run = nlohmann::json::parse(sarif_gate(verdict))["runs"][0];
  ASSERT_EQ(run["results"].size(), 3U);
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2U);
  EXPECT_EQ(run["results"][0]["ruleIndex"], run["results"][2]["ruleIndex"]);
}

TEST(GateOutputs, GithubShowsTenOfALevelAndSaysHowManyMore) {
  const std::string text = github_annotations(with_many(30));
  EXPECT_THAT(text, HasSubstr("::error title=stepscope gate::23 more: "));
  EXPECT_THAT(
      github_annotations(samples::regression()),
      HasSubstr("::error file=train.py,line=10,title=Regression%3A step_time::step_time: "));
  EXPECT_THAT(github_annotations(samples::passing()), testing::StartsWith("::notice "));
  EXPECT_THAT(github_annotations(samples::not_comparable()),
              testing::StartsWith("::error title=Not comparable::A ran on "));
}

// Two runs, of which one holds whatever a program's names may hold, and findings without a line.
std::vector<Summary> found_runs() {
  Summary hostile_run = samples::with_findings();
  const std::string name = "a&b<script>\"'|`@x\n::error::%:,\x01\xff]]>" + std::string(9'000, '<');
  Finding& first = hostile_run.findings->found.front();
  first.title = first.fix = first.code_hint = first.shows_as = name;
  first.places = {{name, 7, SiteKind::call, name, 1}, {name, 8, SiteKind::call, name, 1}};
  hostile_run.findings->found[1].places.clear();
  hostile_run.run.path = name;
  return {samples::with_findings(), hostile_run, samples::cpu()};
}

const std::vector<FindingRule> kRules = {
    {"host_sync", "the loop waits",
     "# host_sync: the loop waits\n\nIt waits.\nLong.\n\n## More\n"}};

TEST(FindingOutputs, AreValidWhateverWasFound) {
  Summary many = samples::with_findings();
  for (std::size_t i = 0; i < 40; ++i) many.findings->found.push_back(many.findings->found[i % 2]);
  std::vector<Summary> runs = found_runs();
  runs.push_back(many);
  EXPECT_TRUE(is_valid_output("sarif", sarif_findings(runs, kRules)));
  EXPECT_TRUE(is_valid_output("github", github_findings(runs)));
  EXPECT_TRUE(is_valid_output("github", github_findings({many})));
  EXPECT_TRUE(is_valid_output("sarif", sarif_findings({}, {})));
}

TEST(FindingOutputs, SarifHasRuleHelpLevelAndLine) {
  const auto log =
      nlohmann::json::parse(sarif_findings({samples::with_findings()}, kRules, "/home/u"));
  const auto& run = log["runs"][0];
  const auto& rule = run["tool"]["driver"]["rules"][0];
  EXPECT_EQ(rule["id"], "finding/host_sync");
  EXPECT_EQ(rule["shortDescription"]["text"], "the loop waits");
  EXPECT_EQ(rule["fullDescription"]["text"], "It waits.\nLong.");
  EXPECT_EQ(rule["help"]["markdown"], kRules[0].text);
  ASSERT_EQ(run["results"].size(), 2U);
  const auto& high = run["results"][0];
  EXPECT_EQ(high["level"], "error");
  EXPECT_NEAR(high["rank"].get<double>(), 100 * 3.1 / 38.2, 0.2);
  const auto& place = high["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "train.py");
  EXPECT_EQ(place["region"]["startLine"], 120);
  EXPECT_THAT(high["message"]["text"].get<std::string>(),
              HasSubstr("Do: keep the value on the device"));
  EXPECT_EQ(run["results"][1]["level"], "note");
  EXPECT_EQ(run["results"][1]["ruleIndex"], 1);
  const auto& notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_EQ(notes.size(), 2U) << "the caution, and what was not judged";
  EXPECT_EQ(notes[0]["level"], "warning");
}

TEST(FindingOutputs, GithubSaysLevelLineAndHowManyMore) {
  Summary run = samples::with_findings();
  EXPECT_THAT(github_findings({run}, "/home/u"),
              testing::StartsWith("::error file=train.py,line=120,title=host_sync%3A "));
  EXPECT_THAT(github_findings({run}), HasSubstr("::notice title=stepscope report::"));
  for (int i = 0; i < 20; ++i) run.findings->found.push_back(run.findings->found[0]);
  EXPECT_THAT(github_findings({run}), HasSubstr("::error title=stepscope report::12 more: "));
  run.findings->found.clear();
  EXPECT_THAT(github_findings({run}), HasSubstr("nothing found that is worth 1 %"));
}

TEST(SourcePath, IsThatOfTheRepository) {
  EXPECT_EQ(path_below("/repo/src/a.py", "/repo"), "src/a.py");
  EXPECT_EQ(path_below("/repo/src/a.py", "/repo//"), "src/a.py");
  EXPECT_EQ(path_below("/repository/a.py", "/repo"), "/repository/a.py");
  EXPECT_EQ(path_below("./a.py", ""), "a.py");
  EXPECT_EQ(uri_of("src/a b#.py"), "src/a%20b%23.py");
  EXPECT_EQ(uri_of("/opt/a.py"), "file:///opt/a.py");
}

}  // namespace
}  // namespace stepscope
