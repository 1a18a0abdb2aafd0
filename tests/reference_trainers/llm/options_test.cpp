// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/llm/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::llm {
namespace {

using testing::HasSubstr;

Result<Request> parsed(std::vector<const char*> words) {
  return parse(words);
}

TEST(LlmOptions, APresetGivesTheSizesThatOthersChange) {
  const auto request = parsed({"--sequence", "128", "--preset", "t90m"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->config.shape.d_model, 768);
  EXPECT_EQ(request->config.sequence, 128);
  EXPECT_EQ(parsed({"--preset=t350m"})->config.shape.layers, 24);
}

TEST(LlmOptions, PresetsHaveTheSizesOfTheirNames) {
  EXPECT_NEAR(static_cast<double>(find_preset("t90m")->shape.parameters()), 88.1e6, 0.1e6);
  EXPECT_NEAR(static_cast<double>(find_preset("t350m")->shape.parameters()), 341.8e6, 10e6);
  EXPECT_NEAR(static_cast<double>(find_preset("gpt2-124m")->shape.parameters()), 123.7e6, 1e6);
  EXPECT_NEAR(static_cast<double>(find_preset("q0.5b")->shape.parameters()), 494.0e6, 1e6);
  EXPECT_NEAR(static_cast<double>(find_preset("q1.5b")->shape.parameters()), 1543.7e6, 1e6);
}

TEST(LlmOptions, WhatDoesNotFitIsRefused) {
  const auto message = [](std::vector<const char*> words) {
    const auto request = parse(words);
    return request ? std::string("no error") : request.error().message;
  };
  EXPECT_THAT(message({"--heads", "7"}), HasSubstr("--heads 7: must divide --d-model 96"));
  EXPECT_THAT(message({"--kv-heads", "4"}), HasSubstr("--kv-heads 4: must divide --heads 6"));
  EXPECT_THAT(message({"--sequence", "2000000"}), HasSubstr("--sequence 2000000: at most"));
  EXPECT_THAT(message({"--corpus-tokens", "256", "--sequence", "256"}),
              HasSubstr("must be more than --sequence 256"));
  EXPECT_THAT(message({"--rung", "R77"}), HasSubstr("--rung: 'R77' is no rung"));
  EXPECT_THAT(message({"--with", "nothing"}), HasSubstr("--with: 'nothing' is no rung"));
  EXPECT_THAT(message({"--lr", "nan"}), HasSubstr("--lr"));
  EXPECT_THAT(message({"--preset", "huge"}), HasSubstr("--preset"));
  EXPECT_THAT(message({"--rung", "R3b", "--d-model", "1200"}), HasSubstr("cudnn_attention takes"));
  EXPECT_THAT(message({"--with", "bf16_weights,fused_rope", "--d-model", "1560"}),
              HasSubstr("fused_rope takes heads of at most 256, these have 260"));
  EXPECT_THAT(message({"--with", "bf16_weights,fused_norm", "--d-model", "1212"}),
              HasSubstr("--d-model is 1212; train --without fused_norm"));
  EXPECT_THAT(message({"--documents", "packed", "--document-token", "512"}),
              HasSubstr("--document-token 512: the vocabulary has 512"));
  EXPECT_THAT(message({"--zero", "--with", "adamw_8bit"}), HasSubstr("--without adamw_8bit"));
}

TEST(LlmOptions, TheLearningRateRisesAndFallsToATenth) {
  Config config = parsed({"--lr", "1e-3", "--lr-warm-up", "10", "--steps", "100"})->config;
  EXPECT_NEAR(learning_rate_of(config, 0), 1e-4, 1e-12);
  EXPECT_NEAR(learning_rate_of(config, 9), 1e-3, 1e-12);
  EXPECT_NEAR(learning_rate_of(config, 99), 1e-4, 1e-12);
  EXPECT_LT(learning_rate_of(config, 60), learning_rate_of(config, 30));
}

TEST(LlmOptions, HelpExplainsEveryRung) {
  const auto request = parsed({"--help"});
  for (const Rung& rung : all_rungs()) EXPECT_THAT(*request->help, HasSubstr(rung.name));
}

}  // namespace
}  // namespace stepscope::llm
