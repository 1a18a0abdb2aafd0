// SPDX-License-Identifier: Apache-2.0
#include "core/summary/summary.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

TEST(Summary, CountsSteadyStepsOnly) {
  SimpleSteps s;
  s.step(500, false);
  s.own(Cause::host_module_load, 500);
  for (const std::int64_t length : {100, 120}) {
    s.step(length);
    s.own(Cause::gpu_gemm, length);
  }
  const Summary sum = s.sum();
  EXPECT_EQ(sum.partition.steps_counted, 2U);
  EXPECT_EQ(sum.partition.wall_ns_total, 220);
  EXPECT_EQ(sum.partition.p50_ns, 110);
  ASSERT_EQ(sum.partition.parts.size(), 1U);
  EXPECT_EQ(sum.partition.parts[0].ns_total, 220);
  EXPECT_EQ(sum.step_parts[0][index_of(Cause::host_module_load)], 500);
  EXPECT_EQ(sum.counting, "");
}

std::int64_t sum_of(const std::vector<PartSum>& parts) {
  std::int64_t sum = 0;
  for (const PartSum& part : parts) sum += part.ns_total;
  return sum;
}

void expect_sums_agree(const Summary& sum) {
  const PartitionSummary& p = sum.partition;
  EXPECT_TRUE(sum.trust.broken_invariants.empty());
  EXPECT_EQ(sum_of(p.parts), p.wall_ns_total);
  PerCause<std::int64_t> by_step{};
  for (const std::uint32_t step : sum.counted) {
    for (std::size_t c = 0; c < kCauseCount; ++c) by_step[c] += sum.step_parts[step][c];
  }
  std::map<Cause, std::int64_t> by_cell;
  std::map<std::string, std::int64_t> by_phase;
  std::int64_t with_line = 0;
  for (const CellRow& cell : sum.cells) {
    if (cell.device) continue;
    by_cell[cell.cause] += cell.ns_total;
    by_phase[cell.phase_path.substr(0, cell.phase_path.find('/'))] += cell.ns_total;
    with_line += cell.file.empty() ? 0 : cell.ns_total;
  }
  for (const PartSum& part : p.parts) {
    EXPECT_EQ(by_cell[part.cause], part.ns_total);
    EXPECT_EQ(by_step[index_of(part.cause)], part.ns_total);
  }
  std::int64_t phases = 0;
  for (const PhaseRow& r : sum.phases) {
    if (r.depth == 0) {
      phases += r.wall_ns_total;
      EXPECT_EQ(r.wall_ns_total, by_phase[r.path]);
    }
    EXPECT_LE(r.gpu_busy_ns_total, p.device_busy_ns_total);
    EXPECT_LE(r.exposed_ns_total, r.wall_ns_total);
  }
  EXPECT_EQ(phases, p.wall_ns_total);
  std::int64_t lines = 0;
  for (const LineRow& line : sum.lines) lines += line.ns_total;
  EXPECT_EQ(lines, with_line);
}

TEST(Summary, SumsAgreeForAnySoundAttribution) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = RandomAttribution(seed).make();
    const Summary sum = summarize(c.trace, c.steps, c.attribution);
    expect_sums_agree(sum);
    for (const PartitionSummary& device : sum.devices)
      EXPECT_EQ(sum_of(device.parts), device.wall_ns_total);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace stepscope
