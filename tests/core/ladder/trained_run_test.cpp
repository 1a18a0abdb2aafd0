// SPDX-License-Identifier: Apache-2.0
#include "core/ladder/trained_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kRun =
    R"({"schema":"stepscope.train/1","model":"llm","preset":"tiny","rung":"R4","device":"cpu",)"
    R"("tokens_a_step":512,"timed_steps":7,"ms_per_step":4.0,"tokens_per_s":128000.0,)"
    R"("peak_bytes":0,"losses":[6.2,5.1]})";

TEST(TrainedRun, IsTheLastDocumentAmongOtherLines) {
  const auto run = parse_trained_run("step 1\n{\"not\": 1}\n" + kRun + "\nbye\n\n");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->rung, "R4");
  EXPECT_EQ(run->tokens_per_s, 128000);
  EXPECT_EQ(run->timed_steps, 7);
  EXPECT_EQ(run->mfu, 0);
  EXPECT_THAT(run->losses, ElementsAre(6.2, 5.1));
}

TEST(TrainedRun, OutputWithoutOneIsAnError) {
  for (const char* text : {"", "\n\n", "error\n", "{", "{\"schema\":\"other/1\"}\n"})
    EXPECT_THAT(parse_trained_run(text).error().message, HasSubstr("no document")) << text;
}

TEST(TrainedRun, AFieldThatIsMissingOrWrongIsNamed) {
  const auto without = [](std::string text, const std::string& part, const std::string& with) {
    return text.replace(text.find(part), part.size(), with);
  };
  EXPECT_THAT(parse_trained_run(without(kRun, "\"rung\":\"R4\",", "")).error().message,
              HasSubstr("rung"));
  EXPECT_THAT(parse_trained_run(without(kRun, "128000.0", "0")).error().message,
              HasSubstr("tokens_per_s: must be above 0"));
  EXPECT_THAT(parse_trained_run(without(kRun, "[6.2,5.1]", "[\"a\"]")).error().message,
              HasSubstr("losses[0]"));
}

TEST(TrainerFacts, HasTheRungsInOrder) {
  const auto facts = parse_trainer_facts(
      R"({"schema":"stepscope.trainer/1","model":"llm","rungs":[{"id":"R0","name":"naive","summary":"s"},{"id":"R1","name":"tf32"}]})");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->rungs.at(1).name, "tf32");
  EXPECT_FALSE(parse_trainer_facts("Segmentation fault"));
}

}  // namespace
}  // namespace stepscope
