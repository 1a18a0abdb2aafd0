// SPDX-License-Identifier: Apache-2.0
#include "core/summary/rows/line_share.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/core/attribution/random_attribution.hpp"
#include "tests/core/summary/simple_steps.hpp"

namespace stepscope {
namespace {

std::int64_t of(const LineShare& lines, NoLine reason) {
  return lines.without[static_cast<std::size_t>(reason)];
}

TEST(LineShare, WithAndWithoutALineSumToTheWallTime) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const RandomCase random = RandomAttribution(seed).make();
    const Summary sum = summarize(random.trace, random.steps, random.attribution);
    const LineShare& lines = sum.trust.lines;
    std::int64_t cells = 0;
    for (const CellRow& cell : sum.cells)
      cells += cell.device || cell.file.empty() ? 0 : cell.ns_total;
    EXPECT_EQ(lines.wall_ns_total, sum.partition.wall_ns_total);
    EXPECT_EQ(lines.with_line_ns_total, cells);
    EXPECT_EQ(std::accumulate(lines.without.begin(), lines.without.end(), cells),
              lines.wall_ns_total);
  }
}

// A record a reason, each owning one stretch of the step.
TEST(LineShare, WhyThereIsNoLine) {
  SimpleSteps s;
  s.make.range(HostKind::op, "aten::mm", 1, 1'000, 1'010, s.make.site("train.py", 3));  // row 0
  s.make.range(HostKind::op, "aten::mm", 1, 1'020, 1'030);                              // row 1
  s.make.range(HostKind::op, "aten::mm", 2, 1'040, 1'050);                              // row 2
  s.make.range(HostKind::backward_node, "MmBackward0", 3, 1'060, 1'090);                // row 3
  s.make.range(HostKind::op, "aten::mm", 3, 1'070, 1'080);                              // row 4
  s.make.kernel("k", 7, 1'100, 1'110, 0);
  s.steps.thread = s.make.thread(1);
  s.step(10'000'000);
  s.own(Cause::host_compute_gemm, 10, 0, 0);
  const auto own = [&](Cause cause, std::int64_t ns, RangeId host, DeviceOpId device = kNone) {
    s.own(cause, ns);
    s.attribution.process.segments.back().host_evidence = host;
    s.attribution.process.segments.back().device_evidence = device;
  };
  own(Cause::unknown, 20, kNone);
  own(Cause::gpu_other, 30, kNone, 0);
  own(Cause::host_compute_gemm, 40, 4);
  own(Cause::host_compute_gemm, 50, 2);
  own(Cause::host_compute_gemm, 60, 1);
  own(Cause::host_between_calls, 70, kNone);
  own(Cause::host_off_cpu, 2'000'000, kNone);
  const LineShare lines = s.sum().trust.lines;
  EXPECT_EQ(lines.with_line_ns_total, 10);
  EXPECT_EQ(of(lines, NoLine::unexplained), 20);
  EXPECT_EQ(of(lines, NoLine::launch_not_recorded), 30);
  EXPECT_EQ(of(lines, NoLine::backward_alone), 40);
  EXPECT_EQ(of(lines, NoLine::library_thread), 50);
  EXPECT_EQ(of(lines, NoLine::no_frame), 60);
  EXPECT_EQ(of(lines, NoLine::between_records), 70);
  EXPECT_EQ(of(lines, NoLine::silence), 2'000'000);
  EXPECT_EQ(lines.reasons().front().first, NoLine::silence);
}

TEST(LineShare, WithoutAnyLineTheTraceSaysSo) {
  SimpleSteps s;
  s.make.range(HostKind::op, "aten::mm", 1, 1'000, 1'010);
  s.step(100);
  s.own(Cause::host_compute_gemm, 100);
  const LineShare lines = s.sum().trust.lines;
  EXPECT_EQ(lines.share(), 0);
  EXPECT_EQ(of(lines, NoLine::lines_not_recorded), 100);
}

TEST(LineShare, EveryReasonHasAName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kNoLineCount; ++i) names.insert(name_of(static_cast<NoLine>(i)));
  EXPECT_EQ(names.size(), kNoLineCount);
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace stepscope
