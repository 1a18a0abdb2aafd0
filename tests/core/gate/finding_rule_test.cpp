// SPDX-License-Identifier: Apache-2.0
#include "core/gate/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/gate/policy.hpp"
#include "tests/core/gate/sample_runs.hpp"

namespace stepscope {
namespace {

using ::testing::HasSubstr;

Finding finding(const char* id, Severity severity) {
  Finding out;
  out.id = id;
  out.severity = severity;
  out.title = "the host waits";
  out.places = {{"train.py", 12, SiteKind::call, "log", 2e6}};
  out.count_per_step = 3;
  out.share = 0.1;
  return out;
}

Summary run_with(std::vector<Finding> found) {
  Summary run = gate_samples::run({});
  run.findings = Findings{.found = std::move(found)};
  return run;
}

std::vector<MetricResult> judge_runs(const std::vector<Summary>& b, const std::vector<Summary>& c) {
  std::vector<const Summary*> baseline, candidate;
  for (const Summary& run : b) baseline.push_back(&run);
  for (const Summary& run : c) candidate.push_back(&run);
  return judge_new_findings(Severity::high, baseline, candidate,
                            [](const std::string& id) { return id == "ignored"; });
}

TEST(NewFindings, FailTheGateAtTheirLine) {
  const auto results =
      judge_runs({run_with({})}, {run_with({finding("host_sync", Severity::high)})});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].name, "finding:host_sync");
  EXPECT_EQ(results[0].outcome, Outcome::regression);
  ASSERT_EQ(results[0].causes.size(), 1U);
  EXPECT_EQ(results[0].causes[0].file, "train.py");
  EXPECT_EQ(results[0].causes[0].line, 12U);
}

TEST(NewFindings, AreThoseOfAnotherPlaceOrOfAGrownShare) {
  const Finding known = finding("host_sync", Severity::high);
  Finding elsewhere = known;
  elsewhere.places[0].function = "evaluate";
  Finding small = finding("host_sync", Severity::info);
  small.share = 0.01;
  Finding grown = known;
  grown.share = 0.3;
  EXPECT_EQ(judge_runs({run_with({known})}, {run_with({known})})[0].outcome, Outcome::pass);
  const auto moved = judge_runs({run_with({known})}, {run_with({known, elsewhere})});
  EXPECT_EQ(moved[0].outcome, Outcome::regression);
  EXPECT_EQ(moved[0].causes.at(0).function, "evaluate");
  EXPECT_EQ(judge_runs({run_with({small})}, {run_with({grown})})[0].outcome, Outcome::regression);
  Finding border = small;  // a hair above the limit of a severity
  small.share = 0.049;
  border.share = 0.051;
  border.severity = Severity::high;
  EXPECT_EQ(judge_runs({run_with({small})}, {run_with({border})})[0].outcome, Outcome::pass);
}

TEST(NewFindings, OfARuleThatAbstainedAreInconclusive) {
  Summary silent = run_with({});
  silent.findings->abstained = {{"host_sync", "no device worked in this run"},
                                {"ignored", "clocks were not sampled"}};
  const auto results = judge_runs({run_with({})}, {silent});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].name, "finding:host_sync");
  EXPECT_EQ(results[0].outcome, Outcome::inconclusive);
  EXPECT_THAT(results[0].why, HasSubstr("no device worked"));
  EXPECT_EQ(judge_runs({silent}, {run_with({finding("host_sync", Severity::high)})})[0].outcome,
            Outcome::inconclusive);
}

TEST(NewFindings, AreNotThoseOfALowerSeverityNorOfOneRunAlone) {
  const Summary with = run_with({finding("host_sync", Severity::high)});
  EXPECT_EQ(
      judge_runs({run_with({})}, {run_with({finding("precision", Severity::medium)})})[0].outcome,
      Outcome::pass);
  EXPECT_EQ(judge_runs({run_with({})}, {with, run_with({})})[0].outcome, Outcome::pass);
  EXPECT_EQ(judge_runs({run_with({})}, {with, with})[0].outcome, Outcome::regression);
}

TEST(NewFindings, AreNotJudgedWhereNobodyLooked) {
  const auto results = judge_runs({gate_samples::run({})}, {run_with({})});
  EXPECT_EQ(results[0].outcome, Outcome::inconclusive);
  EXPECT_THAT(results[0].why, HasSubstr("does not say what was found"));
}

TEST(NewFindings, AreAskedForByThePolicy) {
  const auto policy =
      parse_policy(R"({"schema": "stepscope.policy/1", "metrics": [], "new_findings": "high"})");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_TRUE(policy->needs_baseline());
  const GateVerdict verdict =
      judge(*policy, {run_with({})}, {run_with({finding("host_sync", Severity::high)})});
  EXPECT_EQ(verdict.outcome, Outcome::regression);
  const auto wrong = parse_policy(R"({"schema": "stepscope.policy/1", "new_findings": "bad"})");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("new_findings"));
}

}  // namespace
}  // namespace stepscope
