// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/polychromic/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace stepscope::polychromic {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PolychromicOptions, WhatDoesNotFitIsRefused) {
  const auto message = [](std::vector<const char*> words) {
    const auto request = parse(words);
    return request ? std::string("no error") : request.error().message;
  };
  EXPECT_THAT(message({"--replies", "1"}), HasSubstr("--replies"));
  EXPECT_THAT(message({"--replies", "65"}), HasSubstr("--replies"));
  EXPECT_EQ(message({"--replies", "64"}), "no error");
  EXPECT_THAT(message({"--prompts", "17"}), HasSubstr("--prompts 17: they are those of the first"));
  EXPECT_THAT(message({"--batch", "600"}), HasSubstr("--batch 600: there are 512 sequences"));
  EXPECT_EQ(message({"--batch", "600", "--sequences", "600"}), "no error");
  EXPECT_THAT(message({"--heads", "3"}), HasSubstr("--heads 3: must divide --d-model 32"));
  EXPECT_THAT(message({"--encoder-heads", "5"}),
              HasSubstr("--encoder-heads 5: must divide --encoder-width 24"));
  EXPECT_THAT(message({"--diversity-weight", "nan"}), HasSubstr("--diversity-weight"));
  EXPECT_THAT(message({"--with", "speed"}), HasSubstr("--with: 'speed' is no fix; there are: R0"));
}

TEST(PolychromicOptions, AGraphTakesItsBatchAlong) {
  const auto request = parse(std::vector<const char*>{"--with", "decode_graph"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_THAT(all_fixes().names_of(request->config.fixes),
              ElementsAre("batched_generation", "decode_graph"));
}

TEST(PolychromicOptions, HelpExplainsEveryFixAndSwitchesAreListedInOrder) {
  const auto help = parse(std::vector<const char*>{"--help"});
  const auto list = parse(std::vector<const char*>{"--list-switches"});
  const auto json = nlohmann::json::parse(*list->print);
  EXPECT_EQ(json["schema"], "stepscope.trainer/1");
  EXPECT_EQ(json["model"], "polychromic");
  ASSERT_EQ(json["rungs"].size(), all_fixes().all().size());
  for (std::size_t i = 0; i < json["rungs"].size(); ++i) {
    EXPECT_EQ(json["rungs"][i]["name"], all_fixes().all()[i].name);
    EXPECT_THAT(*help->print, HasSubstr(all_fixes().all()[i].name));
  }
  EXPECT_EQ(json["rungs"][2]["needs"], "batched_generation");
  EXPECT_EQ(json["presets"].size(), 3U);
}

}  // namespace
}  // namespace stepscope::polychromic
