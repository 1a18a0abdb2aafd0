// SPDX-License-Identifier: Apache-2.0
#include "core/gate/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Policy> parsed(const std::string& fields) {
  return parse_policy(R"({"schema": "stepscope.policy/1")" + (fields.empty() ? "" : ", " + fields) +
                      "}");
}

std::string message(const std::string& fields) {
  const auto policy = parsed(fields);
  if (policy) return "it was read";
  EXPECT_EQ(policy.error().code, ErrorCode::usage);
  return policy.error().message;
}

std::vector<std::string> names(const Policy& policy) {
  std::vector<std::string> out;
  for (const MetricRule& rule : policy.rules) out.push_back(rule.metric.name);
  return out;
}

TEST(Policy, AnEmptyOneIsTheDefault) {
  const auto policy = parsed("");
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(names(*policy), names(default_policy()));
  EXPECT_EQ(policy->rules.size(), 15U) << "14 counts and the step's time";
  EXPECT_EQ(policy->rules.back().metric.name, "step_time");
  EXPECT_DOUBLE_EQ(policy->rules.back().tolerance, 0.02);
  EXPECT_DOUBLE_EQ(policy->rules.front().tolerance, 0);
}

TEST(Policy, SaysWhatIsJudged) {
  const auto policy = parsed(R"("tolerance": 0.03, "level": 0.01, "paired": true, "least_steps": 5,
      "metrics": ["step_time", "kernels", {"name": "bytes_h2d", "tolerance": 0.1}],
      "phases": ["topk", {"phase": "eval", "tolerance": 0.2}], "ignore": ["phase:e*"],
      "budgets": ["host_syncs <= 0", "phase:topk<=5%", "step_time <= 40 ms", "bytes_h2d <= 4 MB"])");
  ASSERT_TRUE(policy.ok()) << policy.error().message;
  EXPECT_THAT(names(*policy), ElementsAre("step_time", "kernels", "bytes_h2d", "phase:topk"));
  EXPECT_DOUBLE_EQ(policy->rules[0].tolerance, 0.03);
  EXPECT_DOUBLE_EQ(policy->rules[1].tolerance, 0);
  EXPECT_DOUBLE_EQ(policy->rules[2].tolerance, 0.1);
  EXPECT_DOUBLE_EQ(policy->rules[3].tolerance, 0.03);
  EXPECT_TRUE(policy->paired);
  EXPECT_EQ(policy->least_steps, 5U);
  ASSERT_EQ(policy->budgets.size(), 4U);
  EXPECT_DOUBLE_EQ(policy->budgets[0].limit, 0);
  EXPECT_TRUE(policy->budgets[1].share);
  EXPECT_DOUBLE_EQ(policy->budgets[1].limit, 0.05);
  EXPECT_DOUBLE_EQ(policy->budgets[2].limit, 40e6);
  EXPECT_DOUBLE_EQ(policy->budgets[3].limit, 4e6);
}

TEST(Policy, AnUnknownFieldOrMetricIsNamedWithTheNearest) {
  EXPECT_EQ(message(R"("tolerence": 0.1)"),
            "tolerence: is no field of a policy; did you mean 'tolerance'?");
  EXPECT_EQ(message(R"("metrics": ["step_tim"])"),
            "metrics[0]: 'step_tim' is no metric; did you mean 'step_time'?");
  EXPECT_EQ(message(R"("metrics": [{"name": "kernels", "tolerrance": 1}])"),
            "metrics[0].tolerrance: is no field of a policy; did you mean 'tolerance'?");
  EXPECT_THAT(message(R"("budgets": ["host_sync <= 0"])"), HasSubstr("did you mean 'host_syncs'?"));
  EXPECT_THAT(message(R"("ignore": ["memset"])"), HasSubstr("did you mean 'memsets'?"));
}

TEST(Policy, WhatCannotBeMeantIsAnError) {
  EXPECT_THAT(message(R"("metrics": [])"), HasSubstr("gates nothing"));
  EXPECT_THAT(message(R"("ignore": ["*"])"), HasSubstr("gates nothing"));
  EXPECT_THAT(message(R"("ignore": ["phase:*"])"), HasSubstr("matches no metric"));
  EXPECT_THAT(message(R"("metrics": ["kernels", "kernels"])"), HasSubstr("a second time"));
  EXPECT_THAT(message(R"("tolerance": -0.1)"), HasSubstr("tolerance: is -0.1"));
  EXPECT_THAT(message(R"("tolerance": "2 %")"), HasSubstr("tolerance: must be a number"));
  EXPECT_THAT(message(R"("tolerance": 1e999)"), HasSubstr("not sound JSON"));
  EXPECT_THAT(message(R"("level": 0.6)"), HasSubstr("level: is 0.6"));
  EXPECT_THAT(message(R"("least_steps": 1)"), HasSubstr("least_steps: must be 2 or more"));
  EXPECT_THAT(message(R"("metrics": "kernels")"), HasSubstr("metrics: must be an array"));
  EXPECT_THAT(message(R"("paired": 1)"), HasSubstr("paired: must be true or false"));
}

TEST(Policy, ABudgetNeedsALimitOfItsKind) {
  const auto wrong = [](const char* text) { return parse_budget(text).error().message; };
  EXPECT_THAT(wrong("kernels < 5"), HasSubstr("has no '<='"));
  EXPECT_THAT(wrong("kernels <= many"), HasSubstr("has no limit"));
  EXPECT_THAT(wrong("kernels <= -1"), HasSubstr("has no limit"));
  EXPECT_THAT(wrong("kernels <= nan"), HasSubstr("has no limit"));
  EXPECT_THAT(wrong("kernels <= 5 ms"), HasSubstr("takes no unit"));
  EXPECT_THAT(wrong("step_time <= 40"), HasSubstr("needs a unit of time"));
  EXPECT_THAT(wrong("bytes_h2d <= 4 ms"), HasSubstr("takes B, KB"));
}

TEST(Policy, ADocumentOfAnotherKindIsNotGuessedAt) {
  EXPECT_THAT(parse_policy("{}").error().message, HasSubstr("schema: is missing"));
  EXPECT_THAT(parse_policy("[]").error().message, HasSubstr("must be an object"));
  EXPECT_THAT(parse_policy(R"({"schema": "stepscope.policy/2"})").error().message,
              HasSubstr("this version reads 'stepscope.policy/1'"));
  EXPECT_THAT(parse_policy("{").error().message, HasSubstr("it ends too early"));
  EXPECT_THAT(parse_policy("{\n  \"level\": 0,01\n}").error().message,
              HasSubstr("not sound JSON at line 2, column 14"));
  EXPECT_EQ(read_policy("/nowhere/policy.json").error().code, ErrorCode::io);
}

}  // namespace
}  // namespace stepscope
