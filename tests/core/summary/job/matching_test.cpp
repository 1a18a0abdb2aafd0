// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/matching.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Fault;
using test::Generator;
using test::JobPlan;
using test::Made;

TEST(JobMatching, FindsOffsetAndDriftOfAHostWithin10Microseconds) {
  int inside = 0, covered = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    JobPlan plan{.seed = seed, .ranks = 4, .hosts = 2, .steps = 200};
    plan.topology = test::Topology::fsdp;  // 1,600 collectives
    plan.end_noise_ns = 200'000;
    plan.fault = Fault::input;
    const Made job = Generator(plan).make();
    const Matches matches = match_collectives(job.ranks);
    ASSERT_EQ(matches.clocks.size(), 2U);
    const HostClock& clock = matches.clocks[1];
    double worst = 0;
    for (const double at : {0.1, 0.5, 0.9}) {
      const auto t = static_cast<std::int64_t>(1e12 + at * 200 * 12e6);
      const auto there =
          t + job.offset_of_host[1] +
          static_cast<std::int64_t>(job.drift_of_host[1] * (static_cast<double>(t) - 1e12));
      worst = std::max(worst, std::abs(static_cast<double>(clock.to_first(there) - t)));
    }
    EXPECT_LT(worst, 15'000) << "seed " << seed;
    inside += worst <= 10'000;
    covered += worst <= static_cast<double>(clock.error_ns);
    EXPECT_LT(clock.error_ns, 20'000);
  }
  EXPECT_GE(inside, 38);
  EXPECT_GE(covered, 36);
}

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
  EXPECT_NE(matches.why_none, "");
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
