// SPDX-License-Identifier: Apache-2.0
#include "core/compare/matched_work.hpp"

#include <gtest/gtest.h>

#include "tests/core/compare/sample_sides.hpp"

namespace stepscope::compare_parts {
namespace {

std::string renamed(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<SampleCell> of_a;
  std::vector<SampleCell> of_b;
  for (const std::string& phase : a) of_a.push_back({.phase = phase, .ns = 1, .calls = 1});
  for (const std::string& phase : b) of_b.push_back({.phase = phase, .ns = 1, .calls = 1});
  auto items = items_of(of_a);
  rename_phases(items, items_of(of_b));
  return items.front().phase;
}

TEST(PhaseMatching, APhaseInAnotherParentIsTheSame) {
  EXPECT_EQ(renamed({"train/topk"}, {"step/topk", "step"}), "step/topk");
}

TEST(PhaseMatching, PathsOfBothSidesStay) {
  EXPECT_EQ(renamed({"topk"}, {"topk", "step/topk"}), "topk");
}

TEST(PhaseMatching, TwoCandidatesAreNotGuessedBetween) {
  EXPECT_EQ(renamed({"train/topk"}, {"step/topk", "eval/topk"}), "train/topk");
}

}  // namespace
}  // namespace stepscope::compare_parts
