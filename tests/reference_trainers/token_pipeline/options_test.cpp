// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/token_pipeline/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::token_pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> fixes_of(std::vector<const char*> words) {
  const auto request = parse(words);
  return request ? all_fixes().names_of(request->config.fixes)
                 : std::vector<std::string>{request.error().message};
}

TEST(PipelineOptions, AVariantOrARungChoosesFixesThatNamesChange) {
  EXPECT_THAT(fixes_of({}), IsEmpty());
  EXPECT_THAT(fixes_of({"--variant", "baseline", "--with", "prefetch"}),
              ElementsAre("pinned", "prefetch"));
  EXPECT_THAT(fixes_of({"--variant", "optimized", "--without", "pinned"}),
              ElementsAre("vectorised", "preallocated_collate", "workers", "persistent_workers",
                          "bucketing"));
  EXPECT_THAT(fixes_of({"--rung", "R2"}), ElementsAre("vectorised", "preallocated_collate"));
  EXPECT_THAT(fixes_of({"--rung", "R7", "--with", "larger_batch"}),
              testing::Contains("larger_batch"));
}

TEST(PipelineOptions, EveryFixIsAllButTheLargerBatch) {
  const std::vector<std::string> names = all_fixes().names_of(every_fix());
  EXPECT_EQ(names.size(), all_fixes().all().size() - 2) << "the start has no switch";
  EXPECT_THAT(names, testing::Not(testing::Contains("larger_batch")));
}

TEST(PipelineOptions, APresetGivesTheSizesThatOthersChange) {
  const auto request = parse(std::vector<const char*>{"--batch", "64", "--preset", "h100"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->config.shape.d_model, 512);
  EXPECT_EQ(request->config.batch, 64);
  EXPECT_EQ(request->config.positions(), 240);
}

TEST(PipelineOptions, WhatDoesNotFitIsRefused) {
  const auto message = [](std::vector<const char*> words) {
    const auto request = parse(words);
    return request ? std::string("no error") : request.error().message;
  };
  EXPECT_THAT(message({"--heads", "5"}), HasSubstr("--heads 5: must divide --d-model 32"));
  EXPECT_THAT(message({"--shortest-region", "40"}),
              HasSubstr("--shortest-region 40: must be at most --longest-region 27"));
  EXPECT_THAT(message({"--vocabulary", "3"}), HasSubstr("--vocabulary 3: must be at least"));
  EXPECT_THAT(message({"--with", "bucketing", "--batch", "3"}),
              HasSubstr("--buckets 4: a rank has 3 samples a step; lower it"));
  EXPECT_THAT(message({"--rung", "R8"}), HasSubstr("--rung: 'R8' is no fix; there are: R0"));
  EXPECT_THAT(message({"--with", "speed"}), HasSubstr("--with: 'speed' is no fix"));
  EXPECT_THAT(message({"--variant", "fast"}), HasSubstr("--variant"));
  EXPECT_THAT(message({"--rung", "R1", "--variant", "optimized"}), HasSubstr("excludes"));
  EXPECT_THAT(message({"--lr", "nan"}), HasSubstr("--lr"));
  EXPECT_THAT(message({"--preset", "huge"}), HasSubstr("--preset"));
}

TEST(PipelineOptions, HelpExplainsEveryFix) {
  const auto request = parse(std::vector<const char*>{"--help"});
  for (const auto& fix : all_fixes().all()) EXPECT_THAT(*request->print, HasSubstr(fix.name));
}

}  // namespace
}  // namespace stepscope::token_pipeline
