// SPDX-License-Identifier: Apache-2.0
// Long steps: how many, what they hold, and who owned their excess, exactly.
#include "core/summary/long_steps.hpp"

#include <gtest/gtest.h>

#include "core/summary/summary.hpp"
#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

// 16 ms a step, and a collection of 300 ms at line 7 in every fifth.
SimpleSteps loop_with_collections() {
  constexpr std::int64_t kMs = 1'000'000;
  SimpleSteps s;
  const SiteId line = s.make.site("train.py", 7, SiteKind::call);
  for (int i = 0; i < 25; ++i) {
    const bool collects = i % 5 == 4;
    s.step(collects ? 316 * kMs : 16 * kMs, i > 0);
    s.own(Cause::gpu_gemm, 12 * kMs);
    s.own(Cause::host_python, 4 * kMs, 0, line);
    if (collects) s.own(Cause::host_gc, 300 * kMs, 0, line);
  }
  return s;
}

TEST(LongSteps, AreCountedAndTheirExcessHasItsOwner) {
  SimpleSteps loop = loop_with_collections();
  const Summary sum = loop.sum();
  const LongSteps& steps = sum.long_steps;
  EXPECT_EQ(steps.steps, 5U);
  EXPECT_EQ(steps.rows, (std::vector<std::uint32_t>{4, 9, 14, 19, 24}));
  EXPECT_EQ(steps.loop_ns_total, sum.partition.wall_ns_total);
  EXPECT_EQ(steps.excess_ns_total, 1'500'000'000);
  ASSERT_EQ(steps.excess.size(), 1U);
  EXPECT_EQ(steps.excess[0].cause, Cause::host_gc);
  EXPECT_EQ(steps.excess[0].file, "train.py");
  EXPECT_EQ(steps.excess[0].line, 7U);
  EXPECT_EQ(steps.excess[0].ns_total, 1'500'000'000);
  EXPECT_NEAR(steps.highest_ratio(), 316.0 / 16, 1e-9);
  EXPECT_NEAR(steps.share(), 5.0 * 316 / (5 * 316 + 19 * 16), 1e-9);
  EXPECT_TRUE(steps.matter());
  EXPECT_FALSE(steps.left_out);
}

TEST(LongSteps, AreLeftOutWhereTheUserAsks) {
  SimpleSteps loop = loop_with_collections();
  const Summary sum = loop.sum({.without_long_steps = true});
  EXPECT_TRUE(sum.long_steps.left_out);
  EXPECT_EQ(sum.long_steps.steps, 5U);
  EXPECT_EQ(sum.partition.steps_counted, 19U);
  EXPECT_EQ(sum.partition.wall_ns_total, 19 * 16'000'000);
  EXPECT_EQ(sum.counted.size(), 19U);
}

TEST(LongSteps, WithoutThemNothingIsLeftOut) {
  const Summary sum = loop_with(100, 20).sum({.without_long_steps = true});
  EXPECT_EQ(sum.long_steps.steps, 0U);
  EXPECT_FALSE(sum.long_steps.left_out);
  EXPECT_EQ(sum.partition.steps_counted, 3U);
}

TEST(OnlySteps, PartsSumToTheWhole) {
  const Summary all = loop_with_collections().sum({});
  const Summary first = loop_with_collections().sum({.only_steps = StepRange{0, 9}});
  const Summary rest = loop_with_collections().sum({.only_steps = StepRange{10, 1000}});
  EXPECT_GT(first.counted.size(), 0U);
  EXPECT_EQ(first.counted.size() + rest.counted.size(), all.counted.size());
  EXPECT_EQ(first.partition.wall_ns_total + rest.partition.wall_ns_total,
            all.partition.wall_ns_total);
  EXPECT_EQ(first.long_steps.steps + rest.long_steps.steps, all.long_steps.steps);
  EXPECT_NE(first.counting.find("TRIMMED to"), std::string::npos);
}

// A long step may spend less than usual somewhere: a row below 0, and the sum is exact.
TEST(LongSteps, WhatTheyLackIsBelowZero) {
  SimpleSteps s;
  for (int i = 0; i < 9; ++i) {
    s.step(i == 4 ? 1'000 : 100);
    if (i != 4) s.own(Cause::gpu_gemm, 60);
    s.own(Cause::host_python, i == 4 ? 1'000 : 40);
  }
  const LongSteps steps = s.sum().long_steps;
  ASSERT_EQ(steps.excess.size(), 2U);
  EXPECT_EQ(steps.excess[0].ns_total, 960);
  EXPECT_EQ(steps.excess[1].ns_total, -60);
  EXPECT_EQ(steps.excess_ns_total, 900);
}

TEST(LongSteps, RowsAndCausesSumToTheExcessOfAnyRun) {
  std::uint64_t runs_with_long_steps = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const RandomCase c = RandomAttribution(seed).make();
    const Summary sum = summarize(c.trace, c.steps, c.attribution);
    const LongSteps& steps = sum.long_steps;
    std::int64_t rows = 0;
    std::int64_t causes = 0;
    for (const ExcessRow& row : steps.excess) rows += row.ns_total;
    for (const auto& [cause, ns] : steps.excess_by_cause()) causes += ns;
    EXPECT_EQ(rows, steps.excess_ns_total) << seed;
    EXPECT_EQ(causes, steps.excess_ns_total) << seed;
    EXPECT_EQ(steps.loop_ns_total, sum.partition.wall_ns_total) << seed;
    runs_with_long_steps += steps.steps > 0 ? 1 : 0;
  }
  EXPECT_GT(runs_with_long_steps, 10U);
}

}  // namespace
}  // namespace stepscope
