// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/slow_links.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/summary/job/job_facts.hpp"
#include "core/summary/job/lateness.hpp"
#include "tests/core/summary/job/job_generator.hpp"

namespace stepscope::job {
namespace {

using test::Fault;
using test::Generator;
using test::JobPlan;
using test::Made;
using test::Topology;

// Ranks in a grid: pairs that share a model's parts, each on one host, and replicas of each part.
JobPlan grid_of(std::uint64_t seed, Fault fault) {
  std::mt19937_64 random(seed);
  JobPlan plan{.seed = seed, .topology = Topology::tensor, .fault = fault};
  plan.ranks = 4 * std::uniform_int_distribution<std::uint32_t>(1, 4)(random);
  plan.hosts = 1 + seed % 2;
  plan.late_rank = std::uniform_int_distribution<std::uint32_t>(0, plan.ranks - 1)(random);
  plan.fault_share = std::uniform_real_distribution<double>(0.1, 0.4)(random);
  plan.noise = std::uniform_real_distribution<double>(0.002, 0.02)(random);
  return plan;
}

TEST(SlowLinks, NamesTheRankWhoseTransfersAreSlow) {
  constexpr std::uint64_t kJobs = 60;
  std::uint64_t right = 0;
  std::string wrong;
  for (std::uint64_t seed = 1; seed <= kJobs; ++seed) {
    const JobPlan plan = grid_of(7000 + seed, Fault::link);
    Made job = Generator(plan).make();
    const auto links = find_slow_links(job.ranks, build_ledger(job.ranks, job.owners));
    const bool found = links.size() == 1 && links[0].ranks == std::vector{plan.late_rank};
    right += found;
    if (found)
      EXPECT_NEAR(links[0].times_as_long, 1 + 10 * plan.fault_share, 0.1) << "seed " << seed;
    else
      wrong += fmt::format("seed {}: {} of {} ranks, {} links\n", seed, plan.late_rank, plan.ranks,
                           links.size());
  }
  EXPECT_GE(right, kJobs * 98 / 100) << wrong;
  RecordProperty("right_rank", static_cast<int>(right));
}

// Each of the four layers sums twice, and the gradients once.
TEST(SlowLinks, CostsWhatItsTransfersTakeMore) {
  const JobPlan plan{.ranks = 8,
                     .topology = Topology::tensor,
                     .fault = Fault::link,
                     .late_rank = 5,
                     .fault_share = 0.2};
  Made job = Generator(plan).make();
  const Ledger ledger = build_ledger(job.ranks, job.owners);
  const auto links = find_slow_links(job.ranks, ledger);
  ASSERT_EQ(links.size(), 1U);
  const double more = 2 * (8 * 0.01 + 0.05) * 10e6;
  EXPECT_NEAR(
      static_cast<double>(links[0].cost_ns_total) / static_cast<double>(ledger.steps.size()), more,
      0.05 * more);
}

TEST(SlowLinks, AccusesNoLinkWhereHostOrDeviceIsSlow) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const JobPlan plan = grid_of(8000 + seed, static_cast<Fault>(seed % 8));
    Made job = Generator(plan).make();
    EXPECT_TRUE(find_slow_links(job.ranks, build_ledger(job.ranks, job.owners)).empty())
        << "seed " << seed << " fault " << seed % 8;
  }
}

// All ranks are one group, so there is nothing to compare; no host may be blamed for it.
TEST(SlowLinks, BlamesNobodyWhereAllRanksAreOneGroup) {
  for (const Topology topology : {Topology::data, Topology::data_overlapped, Topology::fsdp}) {
    Made job = Generator({.topology = topology, .fault = Fault::link, .late_rank = 2}).make();
    const Ledger ledger = build_ledger(job.ranks, job.owners);
    EXPECT_TRUE(find_slow_links(job.ranks, ledger).empty());
    for (const Lateness& late : lateness_of(ledger, job.ranks, job.owners))
      EXPECT_FALSE(late.is_late);
  }
}

TEST(SlowLinks, OfOneGroupAreALinkBetweenItsRanks) {
  JobPlan plan = grid_of(9001, Fault::link);
  plan.ranks = 8;
  plan.late_rank = 5;
  Made job = Generator(plan).make();
  for (RankRecord& rank : job.ranks)  // nothing is known of the replicas' messages
    for (CollectiveUse& use : rank.collectives)
      if (use.communicator >= 200) use.bytes = 0;
  const auto links = find_slow_links(job.ranks, build_ledger(job.ranks, job.owners));
  ASSERT_EQ(links.size(), 1U);
  EXPECT_EQ(links[0].ranks, (std::vector<std::uint32_t>{4, 5}));
}

TEST(LateBy, IsWhatMostOfTheWaitIsFor) {
  const auto of = [](std::vector<JobReason> reasons) {
    JobRank rank;
    rank.reasons = std::move(reasons);
    return name_of(late_by(rank));
  };
  const auto reason = [](Cause cause, std::int64_t ns) {
    JobReason out;
    out.cause = cause;
    out.ns_total = ns;
    return out;
  };
  EXPECT_EQ(of({reason(Cause::gpu_gemm, 5), reason(Cause::host_io, 4)}), "device");
  EXPECT_EQ(of({reason(Cause::gpu_gemm, 5), reason(Cause::host_io, 4), reason(Cause::host_gc, 2)}),
            "host");
  EXPECT_EQ(of({reason(Cause::comm_transfer, 3), reason(Cause::copy_h2d_pageable, 3),
                reason(Cause::gpu_gemm, 5)}),
            "link");
  EXPECT_EQ(of({reason(Cause::host_compute_gemm, 1)}), "host");
}

}  // namespace
}  // namespace stepscope::job
