// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/matching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Generator;
using test::Made;
using ::testing::HasSubstr;

TEST(JobMatching, KeepsTheOrderOfARanksEvents) {
  const Made job = Generator({.ranks = 2, .hosts = 2}).make();
  const Matches matches = match_collectives(job.ranks);
  std::int64_t before = std::numeric_limits<std::int64_t>::min();
  for (const Piece& piece : job.ranks[1].pieces) {
    const std::int64_t begin = matches.clock(1).to_first(piece.time.begin);
    EXPECT_GE(begin, before);
    before = begin;
  }
}

TEST(JobMatching, MatchesWithoutCommunicatorsByOrderAsFarAsNamesAgree) {
  std::vector<RankRecord> ranks(2);
  ranks[0].collectives = {{0, 0, "a", {0, 10}}, {0, 0, "b", {20, 30}}, {0, 0, "a", {40, 50}}};
  ranks[1].collectives = {{0, 0, "a", {5, 10}}, {0, 0, "b", {25, 30}}};
  const Matches cut = match_collectives(ranks);
  ASSERT_EQ(cut.collectives.size(), 2U);
  EXPECT_EQ(cut.unmatched, 1U);
  EXPECT_EQ(cut.collectives[1].last, 1U);
  EXPECT_EQ(cut.collectives[1].entered, 25);
}

TEST(JobMatching, RefusesCollectivesThatDoNotFit) {
  std::vector<RankRecord> ranks(2);
  ranks[0].collectives = {{0, 0, "a", {0, 10}}, {0, 0, "a", {20, 30}}};
  ranks[1].collectives = {{0, 0, "a", {15, 25}}, {0, 0, "a", {40, 50}}};
  const Matches matches = match_collectives(ranks);
  EXPECT_TRUE(matches.collectives.empty());
  EXPECT_THAT(matches.why_none, HasSubstr("are all files of one run?"));
}

TEST(JobMatching, NamesTheRankOfAnotherRun) {
  std::vector<RankRecord> ranks(3);
  for (std::int64_t k = 0; k < 4; ++k)
    for (std::size_t r = 0; r < 3; ++r) {
      ranks[r].rank = static_cast<std::int32_t>(r);
      const std::int64_t begin = r == 1 ? 130 * k + 50 : 100 * k;
      ranks[r].collectives.push_back({0, 0, "a", {begin, begin + 10}});
    }
  const Matches matches = match_collectives(ranks);
  EXPECT_TRUE(matches.collectives.empty());
  EXPECT_THAT(matches.why_none, HasSubstr("those of rank 1 do not fit to the others'"));
}

TEST(JobMatching, ACommunicatorThatOneRankAloneUsesMatchesNothing) {
  std::vector<RankRecord> ranks(2);
  ranks[0].collectives = {{7, 0, "a", {0, 10}}};
  EXPECT_TRUE(match_collectives(ranks).collectives.empty());
  ranks[1].collectives = {{8, 0, "a", {0, 10}}};
  EXPECT_TRUE(match_collectives(ranks).collectives.empty());
}

}  // namespace
}  // namespace stepscope::job
