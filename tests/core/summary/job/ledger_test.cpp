// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/ledger.hpp"

#include <fmt/format.h>
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

Cause cause_of(Fault fault) {
  switch (fault) {
    case Fault::input:
      return Cause::host_data_wait;
    case Fault::garbage:
      return Cause::host_gc;
    case Fault::python:
      return Cause::host_python;
    case Fault::copies:
      return Cause::copy_h2d_pageable;
    default:
      return Cause::gpu_gemm;
  }
}

JobPlan plan_of(std::uint64_t seed, Fault fault) {
  std::mt19937_64 random(seed);
  const auto any = [&](std::uint32_t least, std::uint32_t most) {
    return std::uniform_int_distribution<std::uint32_t>(least, most)(random);
  };
  JobPlan plan;
  plan.seed = seed;
  plan.ranks = 2 * any(1, 4);
  plan.hosts = plan.ranks > 2 ? any(1, 2) : 1;
  if (fault == Fault::swapped) plan.hosts = 2;
  plan.topology = static_cast<Topology>(any(0, 3));
  plan.fault = fault;
  plan.late_rank = any(0, plan.ranks - 1);
  plan.fault_share = std::uniform_real_distribution<double>(0.06, 0.4)(random);
  plan.noise = std::uniform_real_distribution<double>(0.002, 0.02)(random);
  plan.slowed_beside_a_wait = std::uniform_real_distribution<double>(1, 1.6)(random);
  return plan;
}

std::vector<std::int64_t> sums_by_step(const Ledger& ledger) {
  std::vector<std::int64_t> sums(ledger.steps.size(), 0);
  for (const JobCell& cell : ledger.cells) sums[cell.step] += cell.ns;
  return sums;
}

TEST(JobLedger, CellsOfAllRanksSumToRanksTimesWall) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const JobPlan plan = plan_of(seed, static_cast<Fault>(seed % 9));
    Made job = Generator(plan).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    ASSERT_GE(ledger.steps.size(), plan.steps - 2) << "seed " << seed;
    const std::vector<std::int64_t> sums = sums_by_step(ledger);
    for (std::size_t k = 0; k < sums.size(); ++k)
      ASSERT_EQ(sums[k], static_cast<std::int64_t>(plan.ranks) * ledger.steps[k].length())
          << "seed " << seed << ", step " << k;
  }
}

TEST(JobLedger, NamesTheRankAndTheCauseOfInjectedFaults) {
  constexpr std::uint64_t kJobs = 280;
  std::uint64_t right_rank = 0, right_cause = 0;
  std::string wrong;
  for (std::uint64_t seed = 1; seed <= kJobs; ++seed) {
    const auto fault = static_cast<Fault>(1 + seed % 7);
    const JobPlan plan = plan_of(1000 + seed, fault);
    Made job = Generator(plan).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    const std::vector<Lateness> late = lateness_of(ledger, job.ranks, job.owners);
    const Lateness& own = late[plan.late_rank];
    const bool alone =
        std::count_if(late.begin(), late.end(), [](const Lateness& l) { return l.is_late; }) == 1;
    const bool rank = own.is_late && alone;
    const bool cause = rank && !own.reasons.empty() &&
                       job.owners[own.reasons.front().owner].cause == cause_of(fault);
    right_rank += rank;
    right_cause += cause;
    if (!cause)
      wrong += fmt::format(
          "seed {} fault {} topology {} ranks {} hosts {} share {:.2f} noise {:.3f}: rank {} {}\n",
          seed, static_cast<int>(fault), static_cast<int>(plan.topology), plan.ranks, plan.hosts,
          plan.fault_share, plan.noise, rank,
          own.reasons.empty() ? "" : name_of(job.owners[own.reasons.front().owner].cause));
  }
  EXPECT_GE(right_rank, kJobs * 98 / 100) << wrong;
  EXPECT_GE(right_cause, kJobs * 95 / 100) << wrong;
  RecordProperty("right_rank", static_cast<int>(right_rank));
  RecordProperty("right_cause", static_cast<int>(right_cause));
}

TEST(JobLedger, AccusesNobodyInCleanJobs) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const JobPlan plan = plan_of(5000 + seed, Fault::none);
    Made job = Generator(plan).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    std::int64_t wall = 0;
    for (const Interval& step : ledger.steps) wall += step.length();
    for (const Lateness& late : lateness_of(ledger, job.ranks, job.owners))
      EXPECT_FALSE(late.is_late && late.gain_ns_total * 100 >= wall) << "seed " << seed;
  }
}

TEST(JobLedger, ChargesWhatTheLateRankDidMore) {
  for (const Topology topology :
       {Topology::data, Topology::data_overlapped, Topology::tensor, Topology::fsdp}) {
    JobPlan plan{.topology = topology, .fault = Fault::input, .late_rank = 2, .fault_share = 0.3};
    Made job = Generator(plan).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    const Lateness late = lateness_of(ledger, job.ranks, job.owners)[2];
    const double added = 0.3 * 10'000'000;
    const auto steps = static_cast<double>(ledger.steps.size());
    EXPECT_NEAR(static_cast<double>(late.gain_ns_total) / steps, added, 0.1 * added)
        << static_cast<int>(topology);
    EXPECT_GE(static_cast<double>(late.reasons.front().ns_total),
              0.9 * static_cast<double>(late.cost_ns_total));
  }
}

// The truth is what the job takes longer than the same one without the fault.
void expect_gain_of_slowed_job(const JobPlan& plan) {
  JobPlan without = plan;
  without.fault = Fault::none;
  const Made clean = Generator(without).make();
  Made job = Generator(plan).make();
  const Ledger ledger = build_ledger(job.ranks, job.owners);
  const Lateness late = lateness_of(ledger, job.ranks, job.owners)[1];
  const auto wall = [](const Made& made) {
    return static_cast<double>(made.ranks[0].steps.back().end - made.ranks[0].steps.front().begin);
  };
  const double truth = (wall(job) - wall(clean)) / plan.steps;
  const double gain =
      static_cast<double>(late.gain_ns_total) / static_cast<double>(ledger.steps.size());
  EXPECT_NEAR(gain, truth, 0.05 * truth) << "fault " << static_cast<int>(plan.fault) << ", share "
                                         << plan.fault_share << ", seed " << plan.seed;
  EXPECT_EQ(job.owners[late.reasons.front().owner].cause, cause_of(plan.fault));
}

TEST(JobLedger, ChargesWorkThatAWaitBesideItSlows) {
  for (const Fault fault : {Fault::input, Fault::clocks, Fault::imbalance})
    for (const double share : {0.15, 0.3, 0.6})
      for (std::uint64_t seed = 1; seed <= 10; ++seed)
        expect_gain_of_slowed_job({.seed = seed,
                                   .ranks = 2,
                                   .topology = Topology::data_overlapped,
                                   .fault = fault,
                                   .late_rank = 1,
                                   .fault_share = share,
                                   .slowed_beside_a_wait = 1.5});
}

// If every host works all the time, the next one holds the job in the late one's place.
TEST(JobLedger, BalancingGainsNoMoreThanTheOtherHostsWereFree) {
  const JobPlan plan{.fault = Fault::input, .late_rank = 2, .fault_share = 0.3};
  Made job = Generator(plan).make();
  const Ledger ledger = build_ledger(job.ranks, job.owners);
  const std::int64_t whole = lateness_of(ledger, job.ranks, job.owners)[2].gain_ns_total;
  ASSERT_GT(whole, 0);
  const HostClock& clock = ledger.matches.clock(0);
  for (RankRecord& rank : job.ranks)
    rank.host_waits = std::vector<Interval>{{rank.steps.front().begin, rank.steps.back().end}};
  job.ranks[0].host_waits = std::vector<Interval>{};
  EXPECT_EQ(lateness_of(ledger, job.ranks, job.owners)[2].gain_ns_total, 0);
  const Interval step = ledger.steps[3];
  ASSERT_EQ(clock.to_first(step.begin), step.begin);
  job.ranks[0].host_waits = std::vector<Interval>{{step.begin, step.begin + 1'000'000}};
  const Lateness late = lateness_of(ledger, job.ranks, job.owners)[2];
  EXPECT_EQ(late.gain_ns_total, std::min<std::int64_t>(whole, 1'000'000));
  EXPECT_GT(late.cost_ns_total, late.gain_ns_total) << "what the others waited stays";
}

TEST(JobLedger, FollowsAChainToItsEnd) {
  // Rank 2 is late for rank 1 in their own communicator, which makes rank 1 late for rank 0.
  Owners owners;
  const std::uint32_t work = owners.id_of({.cause = Cause::gpu_gemm, .file = "a.py", .line = 1});
  const std::uint32_t slow = owners.id_of({.cause = Cause::host_io, .file = "a.py", .line = 2});
  const std::uint32_t comm =
      owners.id_of({.cause = Cause::comm_transfer, .file = "a.py", .line = 3});
  std::vector<RankRecord> ranks(3);
  ranks[0] = {0, "h", {{{0, 100}, work}, {{100, 510}, comm, 0}}, {{9, 0, "A", {100, 510}}}, {}};
  ranks[1] = {1,
              "h",
              {{{0, 100}, work}, {{100, 410}, comm, 0}, {{410, 500}, work}, {{500, 510}, comm, 1}},
              {{8, 0, "A", {100, 410}}, {9, 0, "A", {500, 510}}},
              {}};
  ranks[2] = {2,
              "h",
              {{{0, 100}, work}, {{100, 400}, slow}, {{400, 410}, comm, 0}, {{410, 510}, work}},
              {{8, 0, "A", {400, 410}}},
              {}};
  for (RankRecord& rank : ranks) rank.steps = {{0, 510}};
  const Ledger ledger = build_ledger(ranks, owners);
  std::int64_t to_slow = 0, undecided = 0;
  for (const JobCell& cell : ledger.cells) {
    if (cell.rank == 0 && cell.by_rank == 2 && cell.owner == slow) to_slow += cell.ns;
    if (owners[cell.owner].cause == Cause::comm_late_rank) undecided += cell.ns;
  }
  EXPECT_EQ(sums_by_step(ledger), std::vector<std::int64_t>{3 * 510});
  EXPECT_GE(to_slow, 290);  // rank 0 waits 400: 300 for the slow line, 90 for rank 1's
  EXPECT_LE(to_slow, 310);
  EXPECT_EQ(undecided, 0);
}

// Rank 1 enters each collective 5 us later; the ends, from which the clocks are known, scatter by 50.
TEST(JobLedger, BlamesNothingSmallerThanTheClocksError) {
  for (const bool one_host : {true, false}) {
    Owners owners;
    const std::uint32_t work = owners.id_of({.cause = Cause::gpu_gemm});
    const std::uint32_t comm = owners.id_of({.cause = Cause::comm_transfer});
    std::vector<RankRecord> ranks(2);
    for (std::uint32_t r = 0; r < 2; ++r) {
      ranks[r].host = one_host || r == 0 ? "a" : "b";
      for (std::uint32_t k = 0; k < 20; ++k) {
        const std::int64_t t = std::int64_t{k} * 1'000'000, entry = t + 900'000 + 5'000 * r;
        const std::int64_t scatter = k % 2 == 1 ? 25'000 : -25'000;
        const std::int64_t end = t + 1'000'000 + scatter * r;
        ranks[r].pieces.push_back({{t, entry}, work, kNone});
        ranks[r].pieces.push_back({{entry, t + 1'000'000}, comm, k});
        ranks[r].collectives.push_back({1, k, "AllReduce", {entry, end}});
        ranks[r].steps.push_back({t, t + 1'000'000});
      }
    }
    const Ledger ledger = build_ledger(ranks, owners);
    const bool charged = std::any_of(ledger.cells.begin(), ledger.cells.end(),
                                     [](const JobCell& c) { return c.rank != c.by_rank; });
    EXPECT_EQ(charged, one_host);
  }
}

TEST(JobLedger, ChargesNothingWhereRanksAreMissing) {
  Made job = Generator({.fault = Fault::input, .late_rank = 1}).make();
  const Ledger ledger = build_ledger(job.ranks, job.owners, {.incomplete = true});
  ASSERT_FALSE(ledger.cells.empty());
  for (const JobCell& cell : ledger.cells) EXPECT_EQ(cell.rank, cell.by_rank);
}

}  // namespace
}  // namespace stepscope::job
