// SPDX-License-Identifier: Apache-2.0
// A rank that counted 28 steps beside a job of 27.
#include "core/summary/job/scaled_rows.hpp"

#include <gtest/gtest.h>

namespace stepscope::job {
namespace {

constexpr std::uint64_t kOwnSteps = 28, kJobSteps = 27;

Summary rank_of(std::uint64_t operations) {
  Summary out;
  out.partition.steps_counted = kOwnSteps;
  out.partition.wall_ns_total = 28'000;
  WorkCount count{.name = "cpu_ops", .total = operations, .least_a_step = 3, .most_a_step = 96};
  count.places = {{.line = 3, .total = operations / 3},
                  {.line = 4, .total = operations / 3},
                  {.line = 5, .total = operations - 2 * (operations / 3)}};
  out.counts = {count};
  out.lines = {{.line = 3, .ns_total = 2'800, .calls_total = 56}};
  out.phases = {{.path = "log", .calls_total = 14, .steps_in = 14}};
  out.kernels = {{.name = "sgemm", .calls_total = 28, .ns_total = 2'800}};
  return out;
}

TEST(ScaledRows, AStepKeepsItsCountsAndTimes) {
  const Summary rank = scaled_rows(rank_of(96 * kOwnSteps), kJobSteps);
  EXPECT_EQ(rank.counts[0].total, 96 * kJobSteps);
  EXPECT_EQ(rank.counts[0].most_a_step, 96U);
  EXPECT_EQ(rank.lines[0].calls_total, 54U);
  EXPECT_EQ(rank.lines[0].ns_total, 2'800);  // the ledger has the times of lines
  EXPECT_EQ(rank.phases[0].steps_in, 14U);   // 13.5, rounded
  EXPECT_EQ(rank.kernels[0].ns_total, 2'700);
  EXPECT_EQ(rank.partition.steps_counted, kOwnSteps);
}

TEST(ScaledRows, PlacesSumToTheirCount) {
  for (std::uint64_t operations = 0; operations < 500; ++operations) {
    const Summary rank = scaled_rows(rank_of(operations), kJobSteps);
    std::uint64_t sum = 0;
    for (const CountPlace& place : rank.counts[0].places) sum += place.total;
    ASSERT_EQ(sum, rank.counts[0].total) << operations;
  }
}

TEST(ScaledRows, AsManyStepsAreLeftAsTheyAre) {
  EXPECT_EQ(scaled_rows(rank_of(97), kOwnSteps).counts[0].total, 97U);
}

}  // namespace
}  // namespace stepscope::job
