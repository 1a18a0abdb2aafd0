// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/replay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/summary/job/lateness.hpp"
#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Fault;
using test::Generator;
using test::JobPlan;
using test::Made;
using test::Topology;

// Rank 0 sends to rank 1, which works for 300 before it receives; then rank 0 works for 100.
struct TwoStages {
  TwoStages() {
    ranks[0].pieces = {{{0, 100}, work}, {{100, 310}, comm, 0}, {{310, 410}, work}};
    ranks[0].collectives = {{.communicator = 1, .time = {100, 310}, .messages = {{1, true}}}};
    ranks[1].pieces = {{{0, 300}, slow}, {{300, 310}, comm, 0}, {{310, 410}, work}};
    ranks[1].collectives = {{.communicator = 1, .time = {300, 310}, .messages = {{0, false}}}};
    ranks[1].rank = 1;
  }
  double gain(std::uint32_t rank, std::uint32_t owner, double kept) const {
    Ledger ledger;
    ledger.matches = match_collectives(ranks);
    return replayed_gain_ns(ranks, ledger, {0, 410}, {rank, {{owner, kept}}});
  }

  static constexpr std::uint32_t work = 0, comm = 1, slow = 2;
  std::vector<RankRecord> ranks{2};
};

TEST(JobReplay, AWaitEndsWithTheLastEntryWhicheverThatIsThen) {
  const TwoStages job;
  EXPECT_EQ(job.gain(1, TwoStages::slow, 0.5), 150);
  EXPECT_EQ(job.gain(1, TwoStages::slow, 0.1), 200);  // now rank 1 waits for rank 0
  EXPECT_EQ(job.gain(0, TwoStages::work, 1), 0);
  EXPECT_EQ(job.gain(0, TwoStages::work, 0.5), 25);  // rank 0 alone ends 50 earlier
}

// Rank 0 works for 300, 200 of them beside a collective for which rank 1 comes 200 later, and twice as
// long there as alone. If rank 1 came 100 sooner, rank 0 would do half of the rest in that time.
TEST(JobReplay, WorkBesideAWaitThatEndsSoonerIsFaster) {
  constexpr std::uint32_t kWork = 0, kComm = 1, kMore = 2;
  std::vector<RankRecord> ranks(2);
  ranks[0].pieces = {{{0, 400}, kWork}, {{400, 410}, kComm, 0}};
  ranks[0].collectives = {{.communicator = 1, .time = {100, 410}}};
  ranks[1].rank = 1;
  ranks[1].pieces = {{{0, 100}, kWork}, {{100, 300}, kMore}, {{300, 410}, kComm, 0}};
  ranks[1].collectives = {{.communicator = 1, .time = {300, 410}}};
  Ledger ledger;
  ledger.matches = match_collectives(ranks);
  const LessWork half{1, {{kMore, 0.5}}};
  EXPECT_EQ(replayed_gain_ns(ranks, ledger, {0, 410}, half), (10 + 100) / 2)
      << "rank 0 works until 400";
  ledger.slowed[{0, kWork}] = {.beside = 200, .longer = 100};
  // Rank 0 is done at 350, and the transfer at 310.
  EXPECT_EQ(replayed_gain_ns(ranks, ledger, {0, 410}, half), (60 + 100) / 2);
}

// Gloo's last rank begins to wait a moment before its own thread enters.
TEST(JobReplay, TheLastRankEntersBeforeItWaits) {
  TwoStages job;
  job.ranks[1].pieces = {
      {{0, 290}, TwoStages::slow}, {{290, 310}, TwoStages::comm, 0}, {{310, 410}, TwoStages::work}};
  Ledger ledger;
  ledger.matches = match_collectives(job.ranks);
  EXPECT_EQ(replayed_ns(job.ranks, ledger, {0, 410}, {}), 410);
  EXPECT_EQ(job.gain(1, TwoStages::slow, 0.5), 145);
}

// A slow link is seen by its last rank as time in the collective before its own thread enters.
TEST(JobReplay, LessTransferIsAnEarlierEntryOfTheLastRank) {
  TwoStages job;
  job.ranks[1].pieces = {
      {{0, 250}, TwoStages::slow}, {{250, 310}, TwoStages::comm, 0}, {{310, 410}, TwoStages::work}};
  Ledger ledger;
  ledger.matches = match_collectives(job.ranks);
  ledger.transfer_of[TwoStages::comm] = 7;
  // It enters 25 sooner, and its own transfer is 5 shorter, which rank 0 does not have.
  EXPECT_EQ(replayed_gain_ns(job.ranks, ledger, {0, 410}, {1, {{7, 0.5}}}), 27.5);
}

TEST(JobReplay, LessWorkIsLessTransferToo) {
  TwoStages job;
  Ledger ledger;
  ledger.matches = match_collectives(job.ranks);
  ledger.transfer_of[TwoStages::comm] = 7;
  EXPECT_EQ(replayed_gain_ns(job.ranks, ledger, {0, 410}, {0, {{7, 0.5}}}), 2.5);
}

JobPlan four_ranks(Topology topology, std::uint64_t seed) {
  return {.seed = seed,
          .ranks = 4,
          .topology = topology,
          .fault = static_cast<Fault>(seed),
          .late_rank = 2,
          .slowed_beside_a_wait = seed % 2 == 0 ? 1.5 : 1};
}

TEST(JobReplay, WithoutLessWorkIsTheRecording) {
  for (const Topology topology : {Topology::data, Topology::data_overlapped, Topology::tensor,
                                  Topology::fsdp, Topology::pipeline, Topology::broadcast}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      Made job = Generator(four_ranks(topology, seed)).make();
      const std::vector<Interval>& steps = job.ranks[0].steps;
      const Interval all{steps.front().begin, steps.back().end};
      const double ns = replayed_ns(job.ranks, build_ledger(job.ranks, job.owners), all, {});
      const auto recorded = static_cast<double>(all.length());
      EXPECT_NEAR(ns, recorded, 1)
          << "topology " << static_cast<int>(topology) << ", seed " << seed;
    }
  }
}

struct Gains {
  void add(double gain, double truth) { off.push_back(std::abs(gain - truth) / truth); }
  double at(double share) const {
    return off[static_cast<std::size_t>(share * static_cast<double>(off.size() - 1))];
  }
  std::vector<double> off;  // sorted once all are added
};

double ns_per_step(const Made& job) {
  const std::vector<Interval>& steps = job.ranks[0].steps;
  return static_cast<double>(steps.back().end - steps.front().begin) /
         static_cast<double>(steps.size());
}

// Faults of every kind in jobs of every kind, where they make the job 2 % longer. The truth is the same job
// without the fault.
Gains gains_of(Topology topology, double slowed) {
  Gains out;
  for (std::uint64_t seed = 1; seed <= 70; ++seed) {
    std::mt19937_64 random(seed);
    const auto any = [&](double least, double most) {
      return std::uniform_real_distribution<double>(least, most)(random);
    };
    JobPlan plan{.seed = 3000 + seed, .topology = topology};
    plan.fault = static_cast<Fault>(1 + seed % 7);
    plan.ranks = 2 * static_cast<std::uint32_t>(any(1, 5));
    plan.hosts = plan.fault == Fault::swapped && topology < Topology::pipeline ? 2 : 1;
    plan.late_rank = static_cast<std::uint32_t>(any(0, plan.ranks));
    plan.fault_share = any(0.08, 0.4);
    plan.noise = any(0.002, 0.02);
    plan.slowed_beside_a_wait = any(1, slowed);
    JobPlan clean = plan;
    clean.fault = Fault::none;
    Made job = Generator(plan).make();
    const double truth = ns_per_step(job) - ns_per_step(Generator(clean).make());
    if (truth < 0.02 * ns_per_step(job)) continue;
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    const Lateness late = lateness_of(ledger, job.ranks, job.owners)[plan.late_rank];
    out.add(static_cast<double>(late.gain_ns_total) / static_cast<double>(ledger.steps.size()),
            truth);
  }
  std::sort(out.off.begin(), out.off.end());
  return out;
}

TEST(JobReplay, GainsOfJobsOfEveryKindAreTheDifference) {
  const std::map<Topology, const char*> jobs{
      {Topology::data, "data"},         {Topology::data_overlapped, "data_overlapped"},
      {Topology::tensor, "tensor"},     {Topology::fsdp, "fsdp"},
      {Topology::pipeline, "pipeline"}, {Topology::broadcast, "broadcast"}};
  for (const auto& [topology, name] : jobs) {
    const Gains gains = gains_of(topology, 1.6);
    ASSERT_GE(gains.off.size(), 40U) << name;
    EXPECT_LE(gains.at(0.5), 0.02) << name;
    EXPECT_LE(gains.at(0.9), 0.06) << name;
    for (const double share : {0.5, 0.9, 1.0})
      RecordProperty(std::string(name) + std::to_string(static_cast<int>(100 * share)),
                     std::to_string(100 * gains.at(share)));
  }
}

}  // namespace
}  // namespace stepscope::job
