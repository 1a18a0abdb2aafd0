// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/peers.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/summary/job/lateness.hpp"
#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Fault;
using test::Generator;
using test::JobPlan;
using test::Made;
using test::Topology;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;

CollectiveUse message(std::uint32_t peer, bool sends, Interval time) {
  return {.communicator = 1, .name = "SendRecv", .time = time, .messages = {{peer, sends}}};
}

std::vector<RankRecord> ranks_with(std::vector<std::vector<CollectiveUse>> uses) {
  std::vector<RankRecord> out(uses.size());
  for (std::size_t r = 0; r < uses.size(); ++r) {
    out[r].rank = static_cast<std::int32_t>(r);
    out[r].collectives = std::move(uses[r]);
  }
  return out;
}

MATCHER_P2(IsMember, rank, use, "") {
  return arg.rank == rank && arg.use == use;
}

TEST(PeerMatching, TheNthSendIsTheNthReceive) {
  const auto ranks = ranks_with({{message(1, true, {0, 90}), message(1, true, {100, 150})},
                                 {message(0, false, {80, 90}), message(0, false, {120, 150})}});
  const Matches matches = match_collectives(ranks);
  ASSERT_EQ(matches.collectives.size(), 2U);
  EXPECT_THAT(matches.collectives[0].members, ElementsAre(IsMember(0U, 0U), IsMember(1U, 0U)));
  EXPECT_EQ(matches.collectives[0].last, 1U);
  EXPECT_EQ(matches.collectives[0].entered, 80);
  EXPECT_THAT(matches.collectives[1].members, ElementsAre(IsMember(0U, 1U), IsMember(1U, 1U)));
  EXPECT_EQ(matches.unmatched, 0U);
}

TEST(PeerMatching, ASendThatWasBufferedWaitsForNobody) {
  const auto ranks = ranks_with({{message(1, true, {0, 10})}, {message(0, false, {80, 90})}});
  EXPECT_TRUE(match_collectives(ranks).collectives.empty());
}

// Rank 1 receives from rank 0 and sends to rank 2, which comes last. Rank 0 waits for rank 1 alone.
TEST(PeerMatching, AKernelWaitsForTheLastOfItsOtherEnds) {
  CollectiveUse both = message(0, false, {20, 100});
  both.messages.push_back({2, true});
  const auto ranks =
      ranks_with({{message(1, true, {0, 100})}, {both}, {message(1, false, {70, 100})}});
  const Matches matches = match_collectives(ranks);
  ASSERT_EQ(matches.collectives.size(), 2U);
  EXPECT_THAT(matches.collectives[0].members, ElementsAre(IsMember(0U, 0U)));
  EXPECT_THAT(matches.collectives[0].awaited, ElementsAre(IsMember(1U, 0U)));
  EXPECT_EQ(matches.collectives[0].entered, 20);
  EXPECT_EQ(matches.collectives[0].last, 1U);
  EXPECT_THAT(matches.collectives[1].members, ElementsAre(IsMember(1U, 0U), IsMember(2U, 0U)));
  EXPECT_EQ(matches.collectives[1].entered, 70);
}

TEST(PeerMatching, OthersWaitForTheRootOfABroadcast) {
  const auto receives = [](Interval time) { return message(0, false, time); };
  const auto ranks = ranks_with({{receives({50, 60})}, {receives({0, 61})}, {receives({10, 62})}});
  const Matches matches = match_collectives(ranks);
  for (const std::uint32_t rank : {1U, 2U}) {
    const auto own = std::find_if(
        matches.collectives.begin(), matches.collectives.end(), [rank](const JobCollective& c) {
          return std::any_of(c.members.begin(), c.members.end(),
                             [rank](const Member& m) { return m.rank == rank; });
        });
    ASSERT_NE(own, matches.collectives.end());
    EXPECT_THAT(*own, AllOf(Field(&JobCollective::last, 0U), Field(&JobCollective::entered, 50)));
  }
}

struct Judged {
  std::vector<Lateness> late;
  Made job;
  double step_ns = 0, gain_ns = 0;  // from balancing the late rank
};

double wall_of(const Made& made) {
  return static_cast<double>(made.ranks[0].steps.back().end - made.ranks[0].steps.front().begin);
}

Judged judge(const JobPlan& plan) {
  Judged out{.job = Generator(plan).make()};
  const Ledger ledger = build_ledger(out.job.ranks, out.job.owners);
  out.late = lateness_of(ledger, out.job.ranks, out.job.owners);
  out.step_ns = wall_of(out.job) / plan.steps;
  out.gain_ns = static_cast<double>(out.late[plan.late_rank].gain_ns_total) /
                static_cast<double>(ledger.steps.size());
  return out;
}

JobPlan plan_of(std::uint64_t seed, Topology topology, Fault fault) {
  std::mt19937_64 random(seed);
  JobPlan plan{.seed = seed, .topology = topology, .fault = fault};
  plan.ranks = std::uniform_int_distribution<std::uint32_t>(2, 6)(random);
  plan.late_rank = std::uniform_int_distribution<std::uint32_t>(0, plan.ranks - 1)(random);
  plan.fault_share = std::uniform_real_distribution<double>(0.08, 0.4)(random);
  plan.noise = std::uniform_real_distribution<double>(0.002, 0.02)(random);
  return plan;
}

TEST(PeerMatching, CellsOfAPipelineSumToRanksTimesWall) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const auto topology = seed % 2 == 0 ? Topology::pipeline : Topology::broadcast;
    const JobPlan plan = plan_of(seed, topology, static_cast<Fault>(seed % 8));
    Made job = Generator(plan).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    ASSERT_GE(ledger.steps.size(), plan.steps - 2);
    std::vector<std::int64_t> sums(ledger.steps.size(), 0);
    for (const JobCell& cell : ledger.cells) sums[cell.step] += cell.ns;
    for (std::size_t k = 0; k < sums.size(); ++k)
      ASSERT_EQ(sums[k], static_cast<std::int64_t>(plan.ranks) * ledger.steps[k].length());
  }
}

TEST(PeerMatching, AccusesNoStageOfACleanPipeline) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto topology = seed % 3 == 0 ? Topology::broadcast : Topology::pipeline;
    const Judged job = judge(plan_of(4000 + seed, topology, Fault::none));
    for (const Lateness& late : job.late)
      EXPECT_FALSE(late.is_late && static_cast<double>(late.gain_ns_total) / 30 > job.step_ns / 100)
          << "seed " << seed;
  }
}

// A fault that makes the job longer is named. What balancing gains is compared with the same job without
// the fault.
TEST(PeerMatching, NamesTheStageThatMakesTheJobLonger) {
  constexpr std::uint64_t kJobs = 140;
  std::uint64_t right = 0;
  std::vector<double> errors;
  std::string wrong;
  for (std::uint64_t seed = 1; seed <= kJobs; ++seed) {
    const auto topology = seed % 3 == 0 ? Topology::broadcast : Topology::pipeline;
    const JobPlan plan = plan_of(2000 + seed, topology, static_cast<Fault>(1 + seed % 7));
    JobPlan clean = plan;
    clean.fault = Fault::none;
    const Judged job = judge(plan);
    const double truth = job.step_ns - wall_of(Generator(clean).make()) / plan.steps;
    if (truth < 0.02 * job.step_ns) continue;  // the pipeline hides it
    const auto late = std::count_if(job.late.begin(), job.late.end(),
                                    [](const Lateness& l) { return l.is_late; });
    const bool is_right = job.late[plan.late_rank].is_late && late == 1;
    right += is_right;
    errors.push_back(std::abs(job.gain_ns - truth) / truth);
    if (!is_right)
      wrong += fmt::format("seed {} topology {} fault {}, {} late\n", seed,
                           static_cast<int>(plan.topology), static_cast<int>(plan.fault), late);
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_GE(errors.size(), kJobs / 2);
  EXPECT_GE(right, errors.size() * 98 / 100) << wrong;
  EXPECT_LE(errors[errors.size() / 2], 0.02);
  EXPECT_LE(errors[errors.size() * 9 / 10], 0.05);
  RecordProperty("judged", static_cast<int>(errors.size()));
  RecordProperty("right", static_cast<int>(right));
  RecordProperty("error_p50_percent", static_cast<int>(100 * errors[errors.size() / 2]));
  RecordProperty("error_p90_percent", static_cast<int>(100 * errors[errors.size() * 9 / 10]));
}

}  // namespace
}  // namespace stepscope::job
