// SPDX-License-Identifier: Apache-2.0
// The whole verdict on hand-made runs: what fails is named with its line, and nothing passes by
// accident.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/gate/verdict.hpp"
#include "tests/core/gate/sample_runs.hpp"

namespace stepscope {
namespace {

using gate_samples::later_runs;
using gate_samples::runs;
using testing::HasSubstr;

const std::vector<double> kSteady = {40.0, 40.1, 39.9, 40.05, 39.95};

const MetricResult& result(const GateVerdict& verdict, std::string_view name) {
  for (const MetricResult& metric : verdict.metrics)
    if (metric.name == name) return metric;
  static const MetricResult none;
  ADD_FAILURE() << "no " << name;
  return none;
}

Policy policy_of(const std::string& fields) {
  auto policy = parse_policy(R"({"schema": "stepscope.policy/1", )" + fields + "}");
  EXPECT_TRUE(policy.ok());
  return *policy;
}

TEST(Judge, TheSameProgramPasses) {
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), later_runs(kSteady));
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_TRUE(verdict.comparable);
  EXPECT_EQ(verdict.count(Outcome::regression), 0U);
  EXPECT_EQ(result(verdict, "kernels").outcome, Outcome::pass);
  EXPECT_EQ(result(verdict, "allocations").outcome, Outcome::not_judged);
  EXPECT_FALSE(verdict.further_runs);
}

TEST(Judge, ADamagedRecordingDecidesNothing) {
  auto damaged = later_runs(kSteady);
  for (Summary& run : damaged) run.trust.lost_chunks = 2;
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), damaged);
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_THAT(verdict.candidate[0].not_used, HasSubstr("2 chunks of the recording are damaged"));
  EXPECT_EQ(verdict.count(Outcome::pass), 0U) << "a lost call is no better count";
}

TEST(Judge, WhatNoRunRecordedHasNoValue) {
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), later_runs(kSteady));
  EXPECT_FALSE(result(verdict, "allocations").baseline);
  EXPECT_FALSE(result(verdict, "allocations").candidate);
  EXPECT_EQ(result(verdict, "host_syncs").candidate, 1.0);
}

TEST(Judge, ASlowerStepIsNamedWithItsLine) {
  auto slower = later_runs({43, 43.1, 42.9, 43.05, 42.95});
  slower.front().run.versions.emplace_back("folder", "/home/me");
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), slower);
  EXPECT_EQ(verdict.outcome, Outcome::regression);
  EXPECT_EQ(verdict.metrics.front().name, "step_time") << "regressions come first";
  const MetricResult& time = verdict.metrics.front();
  EXPECT_GT(*time.ratio_low, 1.02);
  EXPECT_LT(*time.ratio_low, *time.ratio);
  ASSERT_FALSE(time.causes.empty());
  EXPECT_EQ(time.causes[0].file, "train.py");
  EXPECT_EQ(time.causes[0].line, 10U);
  EXPECT_EQ(time.causes[0].folder, "/home/me");
  EXPECT_GT(time.causes[0].ns_per_step, 2e6);
}

TEST(Judge, AnExtraWaitIsCaughtByItsCountFromOneRun) {
  const GateVerdict verdict = judge(default_policy(), runs({40}), later_runs({40}, {.syncs = 2}));
  EXPECT_EQ(verdict.outcome, Outcome::regression);
  const MetricResult& syncs = result(verdict, "host_syncs");
  EXPECT_EQ(syncs.outcome, Outcome::regression);
  EXPECT_EQ(syncs.candidate, 2.0);
  ASSERT_FALSE(syncs.causes.empty());
  EXPECT_EQ(syncs.causes[0].line, 30U);
  EXPECT_DOUBLE_EQ(syncs.causes[0].calls_per_step, 1);
  EXPECT_EQ(result(verdict, "step_time").outcome, Outcome::inconclusive);
}

TEST(Judge, OneRunASideNeverPassesByTime) {
  const GateVerdict verdict = judge(default_policy(), runs({40}), later_runs({40}));
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(verdict.further_runs, 4U);
  const Policy counts = policy_of(R"("metrics": ["kernels", "host_syncs"])");
  EXPECT_EQ(judge(counts, runs({40}), later_runs({40})).outcome, Outcome::pass);
}

TEST(Judge, OneStepDecidesNothing) {
  const auto short_runs = later_runs(kSteady, {.steps = 1});
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), short_runs);
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_THAT(verdict.candidate[0].not_used, HasSubstr("1 counted step, and the policy asks"));
  EXPECT_THAT(result(verdict, "step_time").why, HasSubstr("no run of the candidate"));
  const Policy budget = policy_of(R"("metrics": [], "budgets": ["host_syncs <= 5"])");
  EXPECT_EQ(judge(budget, {}, short_runs).outcome, Outcome::inconclusive);
}

TEST(Judge, ATrimmedReportNeverPasses) {
  auto trimmed = later_runs(kSteady);
  for (Summary& run : trimmed) {
    run.long_steps.steps = 2;
    run.long_steps.left_out = true;
  }
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), trimmed);
  EXPECT_NE(verdict.outcome, Outcome::pass);
  EXPECT_FALSE(verdict.comparable);
}

TEST(Judge, TheSameRecordingAgainIsNoSecondRun) {
  const auto once = runs({40});
  const std::vector<Summary> thrice = {once[0], once[0], once[0]};
  const GateVerdict repeated = judge(default_policy(), thrice, later_runs(kSteady));
  EXPECT_EQ(repeated.outcome, Outcome::inconclusive);
  EXPECT_THAT(repeated.baseline[1].not_used, HasSubstr("the same recording as run1.scope"));
  const auto five = runs(kSteady);
  const GateVerdict itself = judge(default_policy(), five, five);
  EXPECT_EQ(itself.outcome, Outcome::inconclusive) << "a baseline compared with itself";
  EXPECT_EQ(result(itself, "kernels").outcome, Outcome::pass);
}

TEST(Judge, AnotherDeviceIsNotComparable) {
  const auto other = later_runs(kSteady, {.device = "NVIDIA A100-SXM4-40GB", .uuid = "GPU-9"});
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), other);
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_FALSE(verdict.comparable);
  ASSERT_FALSE(verdict.why_not.empty());
  EXPECT_THAT(verdict.why_not[0], HasSubstr("A ran on NVIDIA H100"));
  EXPECT_TRUE(verdict.metrics.empty());
}

TEST(Judge, AnotherUnitOfTheModelLeavesTimesOpenAndCountsJudged) {
  const auto other = later_runs(kSteady, {.uuid = "GPU-2"});
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), other);
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_EQ(result(verdict, "step_time").outcome, Outcome::inconclusive);
  EXPECT_EQ(result(verdict, "kernels").outcome, Outcome::pass);
}

TEST(Judge, WhatDoesNotHoldOfEveryPairNamesItsRuns) {
  auto other = later_runs(kSteady, {.uuid = "GPU-2"});
  other[1].trust.dropped = 3;
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), other);
  EXPECT_THAT(verdict.warnings,
              testing::Contains(testing::StartsWith("the runs used two devices of one model")));
  EXPECT_THAT(verdict.warnings,
              testing::Contains("run 2 of the baseline and 2 of the candidate: B lost 3 records"));
  EXPECT_THAT(verdict.warnings, testing::Not(testing::Contains("B lost 3 records")));
}

TEST(Judge, BudgetsNeedNoBaseline) {
  const Policy policy =
      policy_of(R"("metrics": [], "budgets": ["host_syncs <= 0", "phase:topk <= 15 %",
                   "step_time <= 39.99 ms", "phase:eval <= 1 %"])");
  EXPECT_FALSE(policy.needs_baseline());
  const GateVerdict verdict = judge(policy, {}, runs(kSteady));
  EXPECT_EQ(verdict.outcome, Outcome::regression);
  EXPECT_EQ(result(verdict, "host_syncs").outcome, Outcome::regression);
  EXPECT_EQ(result(verdict, "phase:topk").outcome, Outcome::pass);
  EXPECT_EQ(result(verdict, "step_time").outcome, Outcome::inconclusive) << "2 of 5 keep it";
  EXPECT_EQ(result(verdict, "phase:eval").outcome, Outcome::inconclusive);
}

TEST(Judge, WithoutABaselineTheBudgetsAloneAreJudged) {
  const Policy policy =
      policy_of(R"("metrics": ["kernels", "step_time"], "budgets": ["host_syncs <= 5"])");
  const GateVerdict verdict = judge(policy, {}, runs(kSteady));
  EXPECT_EQ(verdict.outcome, Outcome::pass);
  EXPECT_EQ(result(verdict, "host_syncs").outcome, Outcome::pass);
  EXPECT_EQ(result(verdict, "kernels").outcome, Outcome::not_judged);
  EXPECT_EQ(result(verdict, "step_time").why, "there is no baseline");
}

TEST(Judge, AMetricThatThePolicyNamesMustBeThere) {
  const Policy policy = policy_of(R"("metrics": ["allocations"], "phases": ["eval"])");
  const GateVerdict verdict = judge(policy, runs(kSteady), later_runs(kSteady));
  EXPECT_EQ(verdict.outcome, Outcome::inconclusive);
  EXPECT_THAT(result(verdict, "allocations").why, HasSubstr("was not recorded"));
  EXPECT_THAT(result(verdict, "phase:eval").why, HasSubstr("not in every run of the baseline"));
}

TEST(Judge, CallsThatOtherRecordersCountOtherwiseAreNotJudged) {
  auto imported = later_runs(kSteady, {.syncs = 3});
  for (Summary& run : imported) run.run.source = "kineto";
  const GateVerdict verdict = judge(default_policy(), runs(kSteady), imported);
  EXPECT_EQ(result(verdict, "host_syncs").outcome, Outcome::not_judged);
  EXPECT_EQ(result(verdict, "kernels").outcome, Outcome::pass);
}

TEST(Judge, PairsMustBePairs) {
  Policy policy = default_policy();
  policy.paired = true;
  const GateVerdict odd = judge(policy, runs(kSteady), later_runs({40, 40.1}));
  EXPECT_FALSE(odd.comparable);
  EXPECT_THAT(odd.why_not[0], HasSubstr("5 of the baseline and 2 of the candidate"));
  EXPECT_EQ(judge(policy, runs(kSteady), later_runs(kSteady)).outcome, Outcome::pass);
}

TEST(Judge, WithoutAnyRunNothingPasses) {
  EXPECT_EQ(judge(default_policy(), {}, runs(kSteady)).outcome, Outcome::inconclusive);
  EXPECT_EQ(judge(default_policy(), runs(kSteady), {}).outcome, Outcome::inconclusive);
  EXPECT_EQ(judge(default_policy(), {}, {}).outcome, Outcome::inconclusive);
}

}  // namespace
}  // namespace stepscope
