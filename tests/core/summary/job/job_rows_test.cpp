// SPDX-License-Identifier: Apache-2.0
#include "core/summary/job/job_rows.hpp"

#include <gtest/gtest.h>

namespace stepscope::job {
namespace {

// Rank 1 computes for 60 ns in model/forward; rank 0 does for 20 ns and waits 40 ns for it.
struct TwoRanks {
  Owners owners;
  Ledger ledger;
  std::vector<Summary> summaries{2};

  TwoRanks() {
    const std::uint32_t forward = owners.id_of({.cause = Cause::gpu_gemm,
                                                .phase = "forward",
                                                .phase_path = "model/forward",
                                                .file = "train.py",
                                                .line = 7});
    const std::uint32_t loads = owners.id_of({.cause = Cause::host_data_wait,
                                              .phase = "load",
                                              .phase_path = "load",
                                              .file = "train.py",
                                              .line = 3});
    ledger.cells = {{.rank = 0, .by_rank = 0, .owner = forward, .ns = 20},
                    {.rank = 0, .by_rank = 1, .owner = forward, .ns = 40},
                    {.rank = 0, .by_rank = 0, .owner = loads, .ns = 50},
                    {.rank = 1, .by_rank = 1, .owner = forward, .ns = 60},
                    {.rank = 1, .by_rank = 1, .owner = loads, .ns = 50}};
    for (Summary& summary : summaries) {
      summary.phases = {{.path = "load"}, {.path = "model"}, {.path = "model/forward"}};
      for (PhaseRow& row : summary.phases) row.calls_total = 1;
    }
  }
};

TEST(JobRows, CellsAndLinesSumTheLedger) {
  const TwoRanks job;
  const std::vector<CellRow> cells = cells_of(job.owners, job.ledger, job.summaries);
  ASSERT_EQ(cells.size(), 2U);
  const std::vector<LineRow> lines = lines_of(cells, job.summaries);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].line, 7U);
  EXPECT_EQ(lines[0].ns_total, 120);  // the wait of rank 0 is at the line that it waited for
  EXPECT_EQ(lines[1].ns_total, 100);
}

TEST(JobRows, ARateIsOverTheTimeOfAllRanks) {
  std::vector<Summary> ranks(2);
  for (std::size_t rank = 0; rank < 2; ++rank)
    ranks[rank].kernels = {{.name = "Memcpy HtoD",
                            .cause = Cause::copy_h2d_pinned,
                            .calls_total = 1,
                            .ns_total = rank == 0 ? 10 : 30,
                            .bytes_total = 200,
                            .bytes_per_second = rank == 0 ? 20e9 : 200e9 / 30}};
  const std::vector<KernelRow> rows = kernels_of(ranks);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].bytes_total, 400U);
  EXPECT_DOUBLE_EQ(rows[0].bytes_per_second.value(), 10e9);
}

TEST(JobRows, PhasesHoldTheirInnerOnesAndStandBeforeThem) {
  const TwoRanks job;
  const std::vector<PhaseRow> phases = phases_of(
      job.owners, job.ledger, cells_of(job.owners, job.ledger, job.summaries), job.summaries);
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].path, "model");
  EXPECT_EQ(phases[0].wall_ns_total, 120);
  EXPECT_EQ(phases[0].exposed_ns_total, 0);
  EXPECT_EQ(phases[0].calls_total, 2U);
  EXPECT_EQ(phases[1].path, "model/forward");
  EXPECT_EQ(phases[2].path, "load");
  EXPECT_EQ(phases[2].exposed_ns_total, 100);
}

// Rank 0 evaluates in step 1 of 2, while rank 1 waits for that; the end of it lies in the step behind.
TEST(JobRows, StepsOfAPhaseAreCountedForTheRanksThatWaitForIt) {
  TwoRanks job;
  const std::uint32_t eval =
      job.owners.id_of({.cause = Cause::host_python, .phase = "eval", .phase_path = "eval"});
  job.ledger.cells = {{.step = 1, .rank = 0, .by_rank = 0, .owner = eval, .ns = 100},
                      {.step = 1, .rank = 1, .by_rank = 0, .owner = eval, .ns = 98},
                      {.step = 2, .rank = 1, .by_rank = 0, .owner = eval, .ns = 2}};
  job.ledger.steps.resize(32);
  job.summaries[0].phases = {{.path = "eval", .steps_in = 1, .every_steps = 18}};
  job.summaries[1].phases.clear();
  const std::vector<PhaseRow> phases = phases_of(
      job.owners, job.ledger, cells_of(job.owners, job.ledger, job.summaries), job.summaries);
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].wall_ns_total, 200);
  EXPECT_EQ(phases[0].steps_in, 2U);
  EXPECT_DOUBLE_EQ(phases[0].every_steps, 32) << "the job's steps, not those that one rank counted";
}

TEST(JobRows, TransfersKeepTheRankThatWasLateLongest) {
  std::vector<Summary> summaries(2);
  for (std::int32_t rank : {0, 1}) {
    TransferRow row{.operation = "all_reduce"};
    row.ns_total = 10;
    row.calls_total = 1;
    row.latest_rank = rank;
    row.latest_rank_ns_total = rank == 0 ? 5 : 7;
    summaries[static_cast<std::size_t>(rank)].transfers = {row};
  }
  const std::vector<TransferRow> rows = transfers_of(summaries);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].calls_total, 2U);
  EXPECT_EQ(rows[0].ns_total, 20);
  EXPECT_EQ(rows[0].latest_rank, 1);
}

TEST(JobRows, CountsKeepTheLeastAndTheMostOfAStep) {
  std::vector<Summary> summaries(2);
  summaries[0].counts = {{.name = "launches",
                          .total = 30,
                          .least_a_step = 3,
                          .most_a_step = 5,
                          .p10_a_step = 3,
                          .p90_a_step = 5}};
  summaries[1].counts = {{.name = "launches",
                          .total = 40,
                          .least_a_step = 2,
                          .most_a_step = 4,
                          .p10_a_step = 4,
                          .p90_a_step = 4},
                         {.name = "syncs", .total = 1}};
  const std::vector<WorkCount> counts = counts_of(summaries);
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].total, 70U);
  EXPECT_EQ(counts[0].least_a_step, 2U);
  EXPECT_EQ(counts[0].most_a_step, 5U);
  EXPECT_EQ(counts[0].p10_a_step, 3U);
  EXPECT_EQ(counts[0].p90_a_step, 5U);
  EXPECT_EQ(counts[1].name, "syncs");
}

}  // namespace
}  // namespace stepscope::job
