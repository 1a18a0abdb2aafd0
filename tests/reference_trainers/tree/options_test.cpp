// SPDX-License-Identifier: Apache-2.0
#include "reference_trainers/tree/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stepscope::tree {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(TreeOptions, WhatDoesNotFitIsRefused) {
  const auto message = [](std::vector<const char*> words) {
    const auto request = parse(words);
    return request ? std::string("no error") : request.error().message;
  };
  EXPECT_THAT(message({"--credit", "4"}), HasSubstr("--credit 4: a path has 3 nodes; lower it"));
  EXPECT_EQ(message({"--credit", "4", "--depth", "3"}), "no error");
  EXPECT_THAT(message({"--heads", "3"}), HasSubstr("--heads 3: must divide --d-model 32"));
  EXPECT_THAT(message({"--with", "speed"}), HasSubstr("--with: 'speed' is no fix; there are: R0"));
  EXPECT_THAT(message({"--kind", "forest"}), HasSubstr("--kind"));
  EXPECT_THAT(message({"--clip", "0"}), HasSubstr("--clip"));
}

TEST(TreeOptions, OptimizedIsTheLadderWithoutWhatTrainsSomethingElse) {
  const auto request = parse(std::vector<const char*>{"--variant", "optimized"});
  ASSERT_TRUE(request) << request.error().message;
  const auto names = all_fixes().names_of(request->config.fixes);
  EXPECT_EQ(names.size(), all_fixes().all().size() - 3);
  EXPECT_THAT(names, Not(Contains("clipping")));
  EXPECT_THAT(names, Not(Contains("batch_256")));
  EXPECT_EQ(parse(std::vector<const char*>{"--with", "batch_256"})->config.sequences_a_step(), 256);
  const auto graph = parse(std::vector<const char*>{"--with", "cuda_graph"});
  EXPECT_THAT(all_fixes().names_of(graph->config.fixes),
              ElementsAre("foreach_norms", "cuda_graph"));
}

TEST(TreeOptions, HelpExplainsEveryFix) {
  const auto request = parse(std::vector<const char*>{"--help"});
  for (const auto& fix : all_fixes().all()) EXPECT_THAT(*request->print, HasSubstr(fix.name));
}

}  // namespace
}  // namespace stepscope::tree
