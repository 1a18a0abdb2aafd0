// SPDX-License-Identifier: Apache-2.0
// The report of one rank and that of its job call the same time by names that each other explains.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/report/tables.hpp"
#include "core/report/wording/verdict.hpp"

namespace stepscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Summary rank_with(Cause cause, std::int64_t ns) {
  Summary out;
  out.run.rank = 0;
  out.run.world_size = 2;
  out.partition.steps_counted = 10;
  out.partition.wall_ns_total = 1'000;
  out.partition.parts = {{cause, ns}};
  return out;
}

std::string text_of(const Summary& summary) {
  return rank_alone_text(scale_of(summary));
}

TEST(WordsOfRanks, OneRankSaysWhatTheJobCallsItsWaits) {
  EXPECT_THAT(text_of(rank_with(Cause::comm_wait, 500)), StartsWith("comm.wait is what"));
  EXPECT_THAT(text_of(rank_with(Cause::comm_late_rank, 500)), StartsWith("comm.late_rank is what"));
  EXPECT_THAT(text_of(rank_with(Cause::comm_transfer, 500)),
              StartsWith("comm.transfer holds waits"));
}

TEST(WordsOfRanks, NothingIsSaidWhereThereIsNoSuchTime) {
  EXPECT_EQ(text_of(rank_with(Cause::comm_wait, 5)), "");
  Summary alone = rank_with(Cause::comm_wait, 500);
  alone.run.world_size = 1;
  EXPECT_EQ(text_of(alone), "");
  Summary job = rank_with(Cause::comm_transfer, 500);
  job.job = JobFacts{};
  EXPECT_EQ(text_of(job), "");
}

TEST(WordsOfRanks, TheTableSaysWhatOneRankCallsThem) {
  Summary job = rank_with(Cause::comm_transfer, 500);
  job.job = JobFacts{.steps_counted = 10, .collectives = 10};
  job.job->ranks = {{.rank = 0, .waits_ns_total = 100}, {.rank = 1}};
  job.run.device_count = 0;
  EXPECT_THAT(report::ranks_table(scale_of(job)).texts,
              Contains(HasSubstr("transfer and waits are comm.wait")));
  job.partition.device_busy_ns_total = 400;
  EXPECT_THAT(report::ranks_table(scale_of(job)).texts,
              Contains(HasSubstr("waits are comm.late_rank")));
  job.job->ranks[0].waits_ns_total = 0;
  EXPECT_THAT(report::ranks_table(scale_of(job)).texts, Not(Contains(HasSubstr("--rank N"))));
}

}  // namespace
}  // namespace stepscope
