// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include "core/summary/summary.hpp"
#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

std::int64_t sum_of(const std::vector<CellRow>& cells) {
  return std::accumulate(
      cells.begin(), cells.end(), std::int64_t{0},
      [](std::int64_t sum, const CellRow& row) { return row.device ? sum : sum + row.ns_total; });
}

TEST(Cells, AreSplitByOperationAndCountItsEvents) {
  SimpleSteps s;
  const SiteId site = s.make.site("train.py", 12);
  s.step(100);
  for (const char* name : {"gemm_a", "gemm_b", "gemm_a"}) {
    const auto begin =
        1'000 + 20 * static_cast<std::int64_t>(s.attribution.process.segments.size());
    s.make.kernel(name, 7, begin, begin + 20, 0);
    s.own(Cause::gpu_gemm, 20, 0, site);
    Segment& segment = s.attribution.process.segments.back();
    segment.host_evidence = kNone;
    segment.device_evidence = static_cast<DeviceOpId>(s.attribution.process.segments.size() - 1);
  }
  s.attribution.ops.assign(3, {Cause::gpu_gemm, 0});
  const Summary sum = s.sum();
  ASSERT_EQ(sum.cells.size(), 2U);
  EXPECT_EQ(sum.cells[0].operation, "gemm_a");
  EXPECT_EQ(sum.cells[0].calls_total, 2U);
  EXPECT_EQ(sum.cells[0].ns_total, 40);
  EXPECT_EQ(sum.cells[0].file, "train.py");
  EXPECT_EQ(sum.cells[1].operation, "gemm_b");
  EXPECT_EQ(sum.cells[1].calls_total, 1U);
}

TEST(Cells, AnEventInSeveralPiecesIsOneCall) {
  SimpleSteps s;
  s.step(100);
  for (int i = 0; i < 3; ++i) s.own(Cause::host_python, 30);
  const Summary sum = s.sum();
  ASSERT_EQ(sum.cells.size(), 1U);
  EXPECT_EQ(sum.cells[0].calls_total, 1U);
}

TEST(Cells, SumToTheWallOfTheCountedSteps) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    const RandomCase random = RandomAttribution(seed).make();
    const Summary sum = summarize(random.trace, random.steps, random.attribution);
    EXPECT_EQ(sum_of(sum.cells), sum.partition.wall_ns_total) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stepscope
