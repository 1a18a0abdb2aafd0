// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/clt/run.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reference_trainers/clt/variants.hpp"
#include "tests/reference_trainers/clt/tiny_config.hpp"

namespace stepscope::clt {
namespace {

TEST(Run, SaysProgressAndReturnsTheResult) {
  std::vector<std::string> lines;
  const auto result = run(tiny_config(), [&](const std::string& line) { lines.push_back(line); });
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(lines.size(), 3U);  // the start and two evaluations
  EXPECT_THAT(lines[1], testing::StartsWith("step 10: loss "));
  EXPECT_EQ(result->device, "cpu");
  EXPECT_GT(result->ms_per_step, 0);
  EXPECT_GE(result->wall_s * 1e3, result->ms_per_step * 19);
  EXPECT_TRUE(result->evaluated);
}

TEST(Run, TheAuxiliaryPartOfTheLossIsSaid) {
  Config config = tiny_config();
  config.k = 2;
  config.dead_window = 3;
  config.aux_k = 16;
  std::vector<std::string> lines;
  const auto result = run(config, [&](const std::string& line) { lines.push_back(line); });
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_THAT(lines.back(),
              testing::ContainsRegex("loss 0.[0-9]+ .0.[0-9]*[1-9][0-9]* of it auxiliary."));
  EXPECT_EQ(nlohmann::json::parse(to_json(config, *result))["config"]["aux_k"], 16);
}

TEST(Run, ADivergingLossIsAnErrorThatNamesTheStep) {
  Config config = tiny_config();
  config.learning_rate = 1e30;
  const auto result = run(config, [](const std::string&) {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::HasSubstr("try a smaller --lr"));
}

TEST(Run, JsonIsOneLineWithItsSchema) {
  const Config config = tiny_config();
  const auto result = run(config, [](const std::string&) {});
  ASSERT_TRUE(result.ok());
  const std::string text = to_json(config, *result);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["schema"], "stepscope.train/1");
  EXPECT_EQ(json["steps"], config.steps);
  EXPECT_EQ(json["resumed_from"], 0);
  EXPECT_EQ(json["loss"]["last"], result->last_loss);
  EXPECT_EQ(json["metrics"]["dead"], result->metrics.dead);
}

TEST(Run, ADivergingLossIsSeenWhereItIsRead) {
  Config config = tiny_config();
  config.learning_rate = 1e30;
  config.fixes.late_readback = true;
  const auto result = run(config, [](const std::string&) {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::StartsWith("step 10: the loss is"));
}

TEST(Run, JsonNamesTheFixes) {
  Config config = tiny_config();
  config.fixes.fused_adam = config.fixes.cached_encode = true;
  const auto json = nlohmann::json::parse(to_json(config, {}));
  EXPECT_EQ(json["fixes"], nlohmann::json({"cached_encode", "fused_adam"}));
}

TEST(Run, JsonTakesAPathOfAnyBytes) {
  Config config = tiny_config();
  config.data = "store\xff";
  EXPECT_EQ(nlohmann::json::parse(to_json(config, {}))["config"]["data"], "store\uFFFD");
}

TEST(Run, JsonSaysWhichStepsWereMadeBefore) {
  const auto json =
      nlohmann::json::parse(to_json(tiny_config(), {.steps = 20, .resumed_from = 13}));
  EXPECT_EQ(json["steps"], 20);
  EXPECT_EQ(json["resumed_from"], 13);
}

TEST(Variants, AreFoundByName) {
  EXPECT_NE(find_variant("baseline"), nullptr);
  EXPECT_EQ(find_variant("Baseline"), nullptr);
}

}  // namespace
}  // namespace stepscope::clt
