// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/clocks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/summary/job/lateness.hpp"
#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Fault;
using test::Generator;
using test::JobPlan;
using test::Made;
using test::Topology;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns how far the rank's clock, as it was found, is off at the worst of three moments.
double error_of(const Made& job, const Matches& matches, std::uint32_t rank) {
  const auto wall =
      static_cast<double>(job.ranks[0].steps.back().end - job.ranks[0].steps.front().begin);
  double worst = 0;
  for (const double at : {0.1, 0.5, 0.9}) {
    const auto moment = Made::kBegin + static_cast<std::int64_t>(at * wall);
    const std::int64_t found = matches.clock(rank).to_first(job.by_clock_of(rank, moment));
    worst = std::max(worst, std::abs(static_cast<double>(found - job.by_clock_of(0, moment))));
  }
  return worst;
}

// 1,600 collectives a job.
JobPlan jittery(std::uint64_t seed, std::uint32_t ranks) {
  return {.seed = seed,
          .ranks = ranks,
          .hosts = 2,
          .steps = 200,
          .topology = Topology::fsdp,
          .fault = Fault::input,
          .end_noise_ns = 200'000};
}

// Three ranks: two on one host and one on the other.
TEST(JobClocks, AreFoundWithin10MicrosecondsAt200OfJitter) {
  for (const std::uint32_t ranks : {3U, 4U}) {
    const int jobs = ranks == 4 ? 200 : 60;
    int inside = 0, covered = 0;
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(jobs); ++seed) {
      const Made job = Generator(jittery(seed, ranks)).make();
      const Matches matches = match_collectives(job.ranks);
      ASSERT_EQ(matches.clocks.size(), 2U);
      const double error = error_of(job, matches, ranks - 1);
      worst = std::max(worst, error);
      inside += error <= 10'000;
      covered += error <= static_cast<double>(matches.clocks[1].error_ns);
    }
    EXPECT_EQ(inside, jobs) << ranks << " ranks, worst " << worst;
    EXPECT_GE(covered, jobs * 93 / 100) << ranks;
    RecordProperty("worst_ns_of_" + std::to_string(ranks), static_cast<int>(worst));
    RecordProperty("covered_of_" + std::to_string(ranks), covered);
  }
}

// A tenth of the ends are off by 20 ms: a rank that was held up, or collectives that are not one.
TEST(JobClocks, AreNotMovedByEndsThatAreFarOff) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Made job = Generator(jittery(seed, 4)).make();
    for (std::uint32_t r = 2; r < 4; ++r)
      for (std::size_t u = 0; u < job.ranks[r].collectives.size(); u += 10)
        job.ranks[r].collectives[u].time.end += 20'000'000;
    EXPECT_LE(error_of(job, match_collectives(job.ranks), 3), 30'000) << "seed " << seed;
  }
}

TEST(JobClocks, OneCollectiveTellsAClockAsFarAsItsTransfer) {
  std::vector<RankRecord> ranks(2);
  ranks[0] = {0, "a", {}, {{1, 0, "AllReduce", {100, 500}}}, {}};
  ranks[1] = {1, "b", {}, {{1, 0, "AllReduce", {1400, 1500}}}, {}};
  const Matches matches = match_collectives(ranks);
  EXPECT_EQ(matches.clocks[1].offset_ns, 1000);
  EXPECT_EQ(matches.clocks[1].error_ns, 101);
}

JobPlan swapped(std::uint64_t seed, bool named_by_number) {
  std::mt19937_64 random(seed);
  JobPlan plan{.seed = seed, .hosts = 2, .fault = Fault::swapped};
  plan.ranks = 2 * std::uniform_int_distribution<std::uint32_t>(1, 4)(random);
  if (named_by_number) plan.ranks = std::max(4U, plan.ranks);
  plan.late_rank = std::uniform_int_distribution<std::uint32_t>(0, plan.ranks - 1)(random);
  plan.topology = static_cast<Topology>(seed % 4);
  plan.named_by_number = named_by_number;
  return plan;
}

void expect_late_rank_and_clocks(const JobPlan& plan) {
  Made job = Generator(plan).make();
  const Ledger ledger = build_ledger(job.ranks, job.owners);
  EXPECT_EQ(ledger.matches.why_none, "");
  for (std::uint32_t r = 0; r < plan.ranks; ++r)
    EXPECT_LE(error_of(job, ledger.matches, r), 10'000) << "seed " << plan.seed << ", rank " << r;
  const std::vector<Lateness> late = lateness_of(ledger, job.ranks, job.owners);
  for (std::uint32_t r = 0; r < plan.ranks; ++r)
    EXPECT_EQ(late[r].is_late, r == plan.late_rank) << "seed " << plan.seed << ", rank " << r;
  ASSERT_FALSE(late[plan.late_rank].reasons.empty());
  const Owner& reason = job.owners[late[plan.late_rank].reasons.front().owner];
  EXPECT_EQ(reason.cause, Cause::gpu_gemm);
  EXPECT_EQ(reason.line, 30U);
  EXPECT_EQ(ledger.matches.clock_notes.empty(), !plan.named_by_number);
}

TEST(JobClocks, ARankOnAnotherHostThanItsNumberSaysIsReadByThatHostsClock) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const JobPlan plan = swapped(seed, false);
    expect_late_rank_and_clocks(plan);
    const Made job = Generator(plan).make();
    const Matches matches = match_collectives(job.ranks);
    EXPECT_EQ(matches.clocks.size(), 2U);
    for (std::uint32_t r = 0; r < plan.ranks; ++r)
      EXPECT_EQ(matches.clock(r).host, "host" + std::to_string(job.host_of_rank[r]));
  }
}

TEST(JobClocks, MachinesOfOneNameHaveClocksOfTheirOwn) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) expect_late_rank_and_clocks(swapped(seed, true));
  const Made job = Generator({.ranks = 4,
                              .hosts = 2,
                              .fault = Fault::swapped,
                              .late_rank = 1,
                              .named_by_number = true})
                       .make();
  const Matches matches = match_collectives(job.ranks);
  EXPECT_THAT(matches.clock_of_rank, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(matches.clock(1).host, "host0 (rank 1)");
  EXPECT_THAT(matches.clock_notes,
              ElementsAre(HasSubstr("host0 have 2 clocks, those of ranks 0, 1"),
                          HasSubstr("host1 have 2 clocks, those of ranks 2, 3")));
}

}  // namespace
}  // namespace stepscope::job
