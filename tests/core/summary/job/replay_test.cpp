// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/replay.hpp"

#include <gtest/gtest.h>

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
    return replayed_gain_ns(ranks, match_collectives(ranks), {0, 410}, {rank, {{owner, kept}}});
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

TEST(JobReplay, WithoutLessWorkIsTheRecording) {
  for (const Topology topology : {Topology::data, Topology::data_overlapped, Topology::tensor,
                                  Topology::fsdp, Topology::pipeline, Topology::broadcast}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Made job = Generator({.seed = seed,
                                  .ranks = 4,
                                  .topology = topology,
                                  .fault = static_cast<Fault>(seed),
                                  .late_rank = 2})
                           .make();
      const std::vector<Interval>& steps = job.ranks[0].steps;
      const double gain = replayed_gain_ns(job.ranks, match_collectives(job.ranks),
                                           {steps.front().begin, steps.back().end}, {});
      EXPECT_NEAR(gain, 0, 1) << "topology " << static_cast<int>(topology) << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace stepscope::job
